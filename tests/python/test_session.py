# SPDX-License-Identifier: Apache-2.0
"""samite.Session and samite.cc: stepping against launches, stops, registers, back in time; compiled kernels."""
import gc
import os
import shutil

import numpy as np
import pytest

import samite
from conftest import KERNELS, normal

CLANG = pytest.mark.skipif(not shutil.which(os.environ.get("SAMITE_CLANG", "clang")), reason="no clang")
COUNT = 64
A, B = normal(COUNT, 1), normal(COUNT, 2)


@pytest.fixture
def gpu():
    made = samite.Gpu(jobs=1)
    made.load(KERNELS / "vecadd.s")
    return made


@pytest.fixture
def session(gpu):
    with gpu.session("vecadd", A, B, samite.Out(COUNT), COUNT, grid=2, block=32) as opened:
        yield opened


def test_steps_add_up_to_a_launch(gpu, session):
    """Every instruction of both warps, one by one: as many as a launch runs, with the same sums."""
    stored = {}
    for workgroup in (0, 1):
        x = {}
        while session.warp(workgroup).state != "ended":
            step = session.step(workgroup)
            assert (step.workgroup, step.warp, step.trap) == (workgroup, 0, None)
            x.update(step.x)
            if step.kind == "ran":
                assert all(session.x(number, workgroup) == value for number, value in x.items())
                for number, values in step.v.items():
                    assert np.array_equal(session.v(number, workgroup), values)
            stored.update({access.address: access.value for access in step.accesses if access.store})
            if step.kind == "ended":
                break
    out = session.argument(2)
    sums = np.array([stored[out + 4 * i] for i in range(COUNT)], "<u4").view("<f4")
    assert np.array_equal(sums, A + B)
    steps = session.time
    session.close()
    result = gpu.launch("vecadd", A, B, samite.Out(COUNT), COUNT, grid=2, block=32)
    assert steps == result.stats.warp_insns and np.array_equal(result.outputs[0], sums)


def test_breakpoints(session):
    only = session.add_break("vecadd", workgroup=1)
    stop = session.run()
    assert (stop.reason, stop.workgroup, stop.symbol, stop.id) == ("break", 1, "vecadd", only)
    assert stop.pc == session.address("vecadd") == session.warp(1).pc
    session.remove(only)
    assert session.run().reason == "done"
    assert np.array_equal(session.finish()[0], A + B)


def test_condition(session):
    asked = []

    def when(workgroup, warp):
        asked.append((workgroup, warp, session.x(10, workgroup)))
        return workgroup == 1

    session.add_break("vecadd", when=when)
    assert session.run().workgroup == 1 and [row[:2] for row in asked] == [(0, 0), (1, 0)]


def test_condition_that_raises(session):
    def when(workgroup, warp):
        raise RuntimeError("no")

    session.add_break("vecadd", when=when)
    with pytest.raises(RuntimeError, match="^no$"):
        session.run()


def test_watchpoint_and_back(session):
    session.record()
    session.add_watch(session.argument(2) + 4 * 40)
    stop = session.run()
    bits = int((A + B).view("<u4")[40])
    assert (stop.reason, stop.workgroup, stop.before, stop.after) == ("watch", 1, 0, bits)
    assert stop.access.store and stop.access.address == session.argument(2) + 160
    time, value = session.time, np.zeros(1, "<f4")
    assert session.read(stop.access.address, value, 1)[0] == (A + B)[40]
    session.goto(time - 1)
    assert session.read(stop.access.address, value, 1)[0] == 0
    session.goto(time)
    assert session.read(stop.access.address, value, 1)[0] == (A + B)[40]
    session.goto(time - 1)
    assert session.back().reason == "start" and session.time == 0
    assert session.run().reason == "watch" and session.time == time


def test_changes(session):
    """Other sums, because an operand is another."""
    session.add_watch(session.argument(2))
    kept = session.snapshot()
    session.write(session.argument(0), np.full(COUNT, 5, "<f4"))
    session.run()
    assert np.array_equal(session.read(session.argument(2), np.zeros(32, "<f4")), 5 + B[:32])
    session.restore(kept)
    assert np.array_equal(session.finish()[0], A + B)


def test_registers(session):
    values = np.arange(32, dtype="f4")
    session.set_v(7, values, lanes=0xF)
    assert np.array_equal(session.v(7, dtype="f4"), np.where(values < 4, values, 0))
    session.set_x(9, -2)
    assert session.x(9) == 0xFFFFFFFE and session.x(0) == 0
    assert session.csr("vl") == session.csr(0xC20) == 32
    session.set_pc("vecadd")
    assert session.warp().pc == session.address("vecadd") and session.stack() == ()


def test_simt_stack():
    gpu = samite.Gpu(jobs=1)
    gpu.load(KERNELS / "diverge.s")
    with gpu.session("diverge", np.arange(1, 33, dtype="u4"), samite.Out(32, "u4"), 32, block=32) as session:
        depths = set()
        while True:
            step = session.step()
            if step.kind == "ended":
                break
            assert step.trap is None
            depths.add(len(session.stack()))
            assert len(session.stack()) == session.warp().depth
    assert max(depths) >= 1


def test_trap_and_repair(gpu):
    """A store outside of a buffer is reported, not raised; the warp stays there."""
    with gpu.session("vecadd", A, B, samite.Out(40), COUNT, grid=2, block=32) as session:
        stop = session.run()
        assert stop.reason == "trap" and stop.trap.kind == "store_fault" and stop.trap.workgroup == 1
        step = session.step(1)
        assert step.kind == "trapped" and step.trap.symbol == stop.trap.symbol == stop.symbol
        with pytest.raises(samite.Trap, match="store to 0x"):
            session.finish()


def test_barrier():
    gpu = samite.Gpu(jobs=1)
    gpu.load(KERNELS / "sgemm.s")
    a = normal((16, 16), 1)
    with gpu.session("sgemm", a, a, samite.Out((16, 16)), 16, 16, 16, grid=(1, 1), block=(16, 16)) as session:
        assert session.run(0, 0).reason == "waits" and session.warp(0, 0).state == "waits"
        assert session.run(0, to_release=True).reason == "released"
        assert session.run(instructions=5).instructions == 5
        assert np.allclose(session.finish()[0], a @ a, atol=1e-5)


def test_bad_arguments(gpu, session):
    for call in (lambda: session.address("nosuch"), lambda: session.add_break("nosuch"), lambda: session.x(64),
                 lambda: session.warp(2), lambda: session.warp(0, 1), lambda: session.csr("nosuch"),
                 lambda: session.argument(3), lambda: session.argument(-1), lambda: session.v(0, dtype="f8"),
                 lambda: session.set_v(1, np.zeros(4, "u4")), lambda: session.set_v(1, np.zeros(32, "u1")),
                 lambda: session.remove(99), lambda: session.restore(7), lambda: session.goto(1),
                 lambda: session.add_watch(0, 0), lambda: session.read(0, np.zeros(4, "u1")),
                 lambda: session.set_pc(2), lambda: session.step(5),
                 lambda: gpu.session("nosuch"), lambda: gpu.session("vecadd", grid=0)):
        with pytest.raises(ValueError):
            call()
    session.close()
    session.close()
    with pytest.raises(ValueError, match="closed"):
        session.step()


def test_closing_frees_the_arguments(gpu):
    places = set()
    for _ in range(3):
        opened = gpu.session("vecadd", A, B, samite.Out(COUNT), COUNT, grid=2, block=32)
        places.add(opened.argument(2))
        del opened
        gc.collect()
    assert len(places) == 1


SQUARE = "__kernel void square(__global int *a, __local int *room, N n) { a[get_global_id(0)] *= n; }"


@CLANG
def test_cc_text():
    program = samite.cc(SQUARE, text=True, defines={"N": "int"})
    assert [(a.name, a.type, a.space, a.size) for a in program.kernels["square"]] == [
        ("a", "int*", "global", 4), ("room", "int*", "local", 4), ("n", "int", "value", 4)]
    gpu = samite.Gpu()
    gpu.load(program)
    out = gpu.launch("square", samite.InOut(np.arange(32, dtype="i4")), samite.Local(4), 3, block=32).outputs[0]
    assert np.array_equal(out, 3 * np.arange(32))


@CLANG
@pytest.mark.parametrize("standard, optimize", [("CL1.1", 1), ("CL3.0", 3)])
def test_cc_file(tmp_path, standard, optimize):
    (tmp_path / "n.h").write_text("typedef int N;\n")
    (tmp_path / "square.cl").write_text('#include "n.h"\n' + SQUARE)
    program = samite.cc(tmp_path / "square.cl", include_paths=[tmp_path], standard=standard, optimize=optimize)
    assert list(program.kernels) == ["square"] and program.name.endswith("square.cl")


@CLANG
def test_cc_flags():
    nans = "__kernel void f(__global float *a) { int i = get_global_id(0); if (a[i] != a[i]) a[i] = 1; }"
    exact, finite = (samite.cc(nans, text=True, flags=flags) for flags in ([], ["-cl-finite-math-only", "-w"]))
    assert len(finite.disassemble()) < len(exact.disassemble())  # no element differs from itself
    for flag, message in (("-cl-nothing", "unknown build option '-cl-nothing' of OpenCL"), ("a\0b", "null character")):
        with pytest.raises(ValueError, match=message):
            samite.cc(nans, text=True, flags=[flag])


@CLANG
def test_cc_errors(tmp_path):
    with pytest.raises(samite.SourceError) as caught:
        samite.cc("__kernel void f(__global int *a) { a[0] = b; }", text=True)
    assert caught.value.messages.startswith("<text>:1:") and str(tmp_path.parent) not in str(caught.value)
    with pytest.raises(samite.SourceError, match="^<text>:1: function 'f' is recursive"):
        samite.cc("int f(int a) { return a ? f(a - 1) * a : 1; }"
                  "__kernel void g(__global int *x) { x[0] = f(x[1]); }", text=True)
    with pytest.raises(FileNotFoundError):
        samite.cc(tmp_path / "none.cl")
    for words in ({"standard": "CL9"}, {"optimize": 4}, {"optimize": 0}, {"standard": "a\0b"}):
        with pytest.raises(ValueError):
            samite.cc(SQUARE, text=True, defines={"N": "int"}, **words)
    with pytest.raises(TypeError):
        samite.cc(tmp_path, text=True)


SIGNATURE = """
typedef struct { char c; float4 v; short s; } mixed;
typedef float real;
__kernel void all(__global long *out, uchar b, ulong u, real f, int2 p, mixed m, __local int *l)
{
    l[0] = m.s;
    out[0] = b; out[1] = u; out[2] = f * 4; out[3] = p.x; out[4] = p.y; out[5] = m.c; out[6] = m.v.w; out[7] = l[0];
}
__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void sized(__global int *out) { out[0] = 1; }
"""
MIXED = np.dtype({"names": ["c", "v", "s"], "formats": ["i1", ("f4", 4), "i2"], "offsets": [0, 16, 32], "itemsize": 48})


@CLANG
def test_arguments_become_what_the_kernel_takes():
    gpu = samite.Gpu()
    gpu.load(samite.cc(SIGNATURE, text=True))
    out, pair, mixed = samite.Out(8, "i8"), np.array([-1, 1 << 30], "i4"), np.array((-3, (1, 2, 3, 4), -300), MIXED)[()]
    good = [out, 200, 5, 3, pair, mixed, samite.Local(4)]
    assert list(gpu.launch("all", *good).outputs[0]) == [200, 5, 12, -1, 1 << 30, -3, 4, -300]
    same = [out, np.uint8(200), np.uint64(1 << 63), 2.5, pair, mixed, samite.Local(4)]
    assert list(gpu.launch("all", *same).outputs[0])[:3] == [200, -1 << 63, 10]
    wrong = [(1, np.float16(1), "is a float16: expected a uchar"), (2, np.float64(1), "is a float64: expected a ulong"),
             (3, np.int32(1), "is a int32: expected a float"), (4, 5, "is a int: expected a int2"),
             (0, 2.5, "is a float: all takes long. out, global"), (0, samite.Local(4), "all takes long. out, global"),
             (1, 256, "is 256, which is no uchar of 1 byte"), (1, 1.0, "is a float: expected a uchar"),
             (1, np.int16(1), "has 2 bytes: expected the 1 of a uchar"), (2, 1 << 64, "no ulong of 8 bytes"),
             (2, np.uint32(1), "has 4 bytes: expected the 8 of a ulong"), (2, out, "is a Out: all takes ulong u"),
             (3, np.float64(2), "has 8 bytes: expected the 4 of a float"), (4, pair[:1], "has 4 bytes: expected the 8"),
             (5, [1], "is a list"), (6, pair, "is a ndarray: all takes int. l, local")]
    for at, value, message in wrong:
        with pytest.raises(ValueError, match=f"argument {at} {message}|argument {at} .*{message}"):
            gpu.launch("all", *good[:at], value, *good[at + 1:])
    for given in (good[:6], good + [1]):
        with pytest.raises(ValueError, match=f"all takes 7 arguments: {len(given)} given"):
            gpu.session("all", *given)
    with pytest.raises(ValueError, match="sized requires workgroups of .4, 2, 1."):
        gpu.launch("sized", samite.Out(1, "i4"), block=8)
    with pytest.raises(ValueError, match="argument 0 is an array of int64: sized takes int. out"):
        gpu.launch("sized", samite.InOut(np.arange(8)), block=(4, 2))
    assert gpu.launch("sized", samite.Out(1, "i4"), block=(4, 2)).outputs[0][0] == 1


@CLANG
def test_global_offsets():
    gpu = samite.Gpu()
    gpu.load(samite.cc("__kernel void f(__global int *a) { int i = get_local_id(0) + 8 * get_local_id(1); "
                       "a[i] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_offset(2); }", text=True))
    x, y = np.meshgrid(np.arange(8), np.arange(2))
    for offset, (a, b, c) in ((None, (0, 0, 0)), (5, (5, 0, 0)), ((5, 7), (5, 7, 0)), ((0, 1, 2), (0, 1, 2))):
        out = gpu.launch("f", samite.Out((2, 8), "i4"), block=(8, 2), offset=offset).outputs[0]
        assert np.array_equal(out, x + a + 100 * (y + b) + 10000 * c)
    with gpu.session("f", samite.Out(16, "i4"), block=(8, 2), offset=3) as session:
        assert session.finish()[0][0] == 3
    for words, message in ({"offset": -1}, "offset=-1"), ({"items": 0}, "items=0"), ({"items": (4, 0)}, "items="):
        with pytest.raises(ValueError, match=message):
            gpu.launch("f", samite.Out(16, "i4"), block=(8, 2), **words)


def test_programs_in_assembly_describe_no_kernels(gpu):
    assert samite.assemble("f: ret").kernels == {}


def test_one_session_at_a_time(gpu):
    a = np.arange(32, dtype="f4")
    words = ("vecadd", a, a, samite.Out(32), 32)
    gpu.load(KERNELS / "vecadd.s")
    with gpu.session(*words, block=32) as session:
        for refused in (gpu.launch, gpu.session):
            with pytest.raises(ValueError, match="a session of this Gpu is open"):
                refused(*words, block=32)
        for number in (-1, 1 << 32):
            with pytest.raises(ValueError, match="out of range"):
                session.x(5, workgroup=number)
        with pytest.raises(ValueError, match="lanes=-1 is out of range"):
            session.add_break("vecadd", lanes=-1)
    gpu.session(*words, block=32)  # dropped
    assert gpu.launch(*words, block=32).outputs[0][31] == 62
