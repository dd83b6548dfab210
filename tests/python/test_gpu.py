# SPDX-License-Identifier: Apache-2.0
"""samite.Gpu: launches against NumPy, arguments, traps with all their fields, cycles, Ctrl-C."""
import copy
import pickle
import signal
import threading

import numpy as np
import pytest

import samite
from conftest import KERNELS, normal, samite_command


@pytest.fixture
def gpu():
    made = samite.Gpu(jobs=1)
    made.load(KERNELS / "vecadd.s")
    return made


def vecadd(gpu, n=1000, room=None):
    a, b = normal(n, 1), normal(n, 2)
    result = gpu.launch("vecadd", a, b, samite.Out(n if room is None else room), n, grid=-(-n // 32), block=32)
    return a + b, result


@pytest.mark.parametrize("jobs", [1, 3, None])
def test_kernel_on_arrays(jobs):
    gpu = samite.Gpu(jobs=jobs)
    program = gpu.load(KERNELS / "vecadd.s")
    assert program.xlen == 32 and "vecadd" in program.symbols and "_start" in program.symbols
    expected, result = vecadd(gpu)
    assert np.array_equal(result.outputs[0], expected)
    assert result.stats.workgroups == 32 and result.stats.warps == 32 and result.stats.warp_insns == 1282
    assert result.cycles is None and result.prints == "" and result.stats.mix == {}


def test_launches_leave_no_memory_behind(gpu):
    """Each launch takes the same addresses again: 300 launches with 2^23 bytes of private memory each fit."""
    places = set()
    for _ in range(300):
        n = 8192
        out = samite.Out(n)
        gpu.launch("vecadd", normal(n), normal(n), out, n, grid=256, block=32, private=1024)
        places.add(gpu.alloc(4).address)
    assert len(places) == 300  # of alloc, which stays
    assert max(places) < 0x90000000 + (8 << 20) + 300 * 8192 + (1 << 20)


def test_sgemm_with_items():
    """Work-items that do not fill the workgroups, and a kernel with local memory."""
    gpu = samite.Gpu(stats=True)
    gpu.load(KERNELS / "sgemm.s")
    a, b = normal((60, 60), 1), normal((60, 60), 2)
    result = gpu.launch("sgemm", a, b, samite.Out((60, 60)), 60, 60, 60, grid=(4, 4), block=(16, 16))
    assert np.allclose(result.outputs[0], a @ b, atol=1e-5)
    stats = result.stats
    assert stats.scalar_insns + stats.vector_insns == stats.warp_insns == sum(stats.mix.values())
    assert stats.barriers > 0 and stats.lds_insns > 0 and stats.branches and stats.lane_insns > stats.warp_insns


def test_changes_in_place_and_buffers(gpu):
    c = np.full(64, 7, "<f4")
    a = gpu.buffer(normal(64, 1))
    result = gpu.launch("vecadd", a, a, samite.InOut(c), 32, grid=2, block=32)
    assert result.outputs[0] is c
    assert np.array_equal(c[:32], 2 * normal(64, 1)[:32]) and (c[32:] == 7).all()
    assert np.array_equal(a.read(16, "<f4", offset=4), normal(64, 1)[1:17])
    a.write(np.zeros(2, "<f4"), offset=8)
    assert not a.read(dtype="<f4")[2:4].any()
    with pytest.raises(ValueError, match="bytes 4 to 264"):
        a.write(np.zeros(65, "<f4"), offset=4)
    with pytest.raises(ValueError, match="no whole number"):
        a.read(dtype="<f8", offset=4)
    gpu.free(a)
    with pytest.raises(ValueError):
        gpu.free(a)


SCALARS = """
    .globl scalars
scalars:
    lw      a1, 0(a0)
    addi    a2, a0, 4
    li      a4, 9
1:  lw      a5, 0(a2)
    sw      a5, 0(a1)
    addi    a1, a1, 4
    addi    a2, a2, 4
    addi    a4, a4, -1
    bnez    a4, 1b
    ret
"""


def test_scalars_have_their_width_and_alignment():
    gpu = samite.Gpu()
    gpu.assemble(SCALARS)
    wide = np.uint64(0x1122334455667788), np.float64(2.5)
    words, = gpu.launch("scalars", samite.Out(9, "u4"), -1, 0xFFFFFFFE, 1.5, True, np.int8(-2), *wide).outputs
    expected = [0xFFFFFFFF, 0xFFFFFFFE, 0x3FC00000, 1, 0xFFFFFFFE]  # the next is at a multiple of 8 already
    assert list(words[:5]) == expected
    assert words[5:].tobytes() == wide[0].tobytes() + wide[1].tobytes()


LOCAL = """
    .globl k, far
k:  lw      a1, 0(a0)
    lw      a2, 4(a0)
    li      a3, 77
    sw      a3, 0(a2)
    lw      a4, 0(a2)
    sw      a4, 0(a1)
    ret
far:
    lw      a2, 4(a0)
    sw      a2, 2000(a2)    # the first byte after 2000
    ret
"""


def test_local_arguments():
    gpu = samite.Gpu()
    gpu.assemble(LOCAL)
    assert gpu.launch("k", samite.Out(1, "u4"), samite.Local(4)).outputs[0][0] == 77
    with pytest.raises(samite.Trap) as caught:
        gpu.launch("far", samite.Out(1, "u4"), samite.Local(2000))
    assert caught.value.kind == "store_fault" and caught.value.tval >= 0x70000000
    assert gpu.launch("k", samite.Out(1, "u4"), samite.Local(4)).outputs[0][0] == 77
    for size in (0, -1, 1.5, 1 << 29):
        with pytest.raises(ValueError, match="Local"):
            samite.Local(size)


def test_trap_has_all_fields(gpu):
    with pytest.raises(samite.Trap) as caught:
        vecadd(gpu, 1024, room=1000)
    trap = caught.value
    assert (trap.machine, trap.kind, trap.workgroup, trap.group, trap.warp) == ("gpu", "store_fault", 31, (31, 0, 0), 0)
    assert (trap.lane, trap.lanes, trap.symbol, trap.word) == (8, 0xFFFFFFFF, "vecadd+0x68", 0x0053E07B)
    assert trap.pc == 0x80000094 and trap.tval % 4096 == 4000
    assert "outside every buffer" in str(trap) and "vsw12.v v5, 0(v7)" in str(trap)
    assert trap.result.stats.warp_insns > 1000 and trap.cause is None and trap.launch is None
    expected, result = vecadd(gpu)  # the machine is usable
    assert np.array_equal(result.outputs[0], expected)


def test_budget_is_a_trap():
    gpu = samite.Gpu(max_insns=50)
    gpu.assemble(".globl forever\nforever: j forever")
    with pytest.raises(samite.Trap) as caught:
        gpu.launch("forever")
    assert caught.value.kind == "budget" and caught.value.lane is None and caught.value.symbol == "forever"


def test_cycles_of_presets_and_parameters():
    cycles = {}
    for config in (True, "preset=verilog", {"mem_latency": 300}, {"mem_latency": 5, "preset": "rtl"}):
        gpu = samite.Gpu(cycles=config)
        gpu.load(KERNELS / "vecadd.s")
        expected, result = vecadd(gpu)
        assert np.array_equal(result.outputs[0], expected)
        c = cycles[str(config)] = result.cycles
        assert 0 < c.cycles < c.launch_cycles and c.insns == 1282 and 0 < c.ipc < 2
        assert c.figures["cycles"] == c.cycles and f"{c.cycles}" in c.report
    rtl, verilog, slow, fast = (c.cycles for c in cycles.values())
    assert fast < rtl < slow and verilog != rtl
    for config, error in (("mem_latncy=1", "mem_latency"), ({"sms": 0}, "from 1 to 64"), ({"preset": "x"}, "preset")):
        with pytest.raises(ValueError, match=error):
            samite.Gpu(cycles=config)


def test_progress_counts_workgroups():
    seen = []
    gpu = samite.Gpu(progress=lambda *numbers: seen.append(numbers))
    gpu.load(KERNELS / "vecadd.s")
    vecadd(gpu)
    assert seen[-1][:2] == (32, 32) and [n[0] for n in seen] == sorted(n[0] for n in seen)


@pytest.mark.parametrize("on_main_thread", [True, False])
def test_exception_in_progress_ends_the_launch(on_main_thread):
    def progress(done, workgroups, insns):
        raise LookupError("enough")

    gpu = samite.Gpu(jobs=1, progress=progress)
    gpu.load(KERNELS / "vecadd.s")
    caught = []

    def run():
        try:
            vecadd(gpu)
        except LookupError as error:
            caught.append(str(error))

    if on_main_thread:
        run()
    else:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    assert caught == ["enough"]


def test_ctrl_c_ends_a_launch():
    gpu = samite.Gpu(jobs=1)
    gpu.assemble(".globl forever\nforever: j forever")
    begun = threading.Event()
    gpu_launch = gpu._run.call

    def call(*arguments):
        begun.set()
        return gpu_launch(*arguments)

    gpu._run.call = call

    def interrupt():
        begun.wait()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        gpu.launch("forever")
        pytest.fail("the launch has ended")
    gpu.assemble(".globl end\nend: ret", base=0x81000000)
    gpu.launch("end")  # the flag is reset


@pytest.mark.parametrize("argument, error", [
    (normal((4, 4)).T, r"argument 1 is not contiguous"),
    (np.ma.masked_less(normal(4), 0), "argument 1 is masked"),
    (normal(4).astype(">f4"), "argument 1 is big-endian"),
    ("text", "argument 1 is a str"),
    (None, "argument 1 is a NoneType"),
    (1 << 32, "argument 1 is 4294967296: expected 32 bits"),
    (1e300, "too large for f32"),
    (1j, "argument 1 is a complex"),
    (np.complex64(1), "complex64 scalar"),
    (np.float16(1), "float16 scalar"),
])
def test_arguments_that_cannot_be(gpu, argument, error):
    with pytest.raises(ValueError, match=error):
        gpu.launch("vecadd", normal(4), argument, samite.Out(4), 4)


@pytest.mark.parametrize("keywords, error", [
    ({"grid": 0}, "start at 1"), ({"grid": (1, 2, 3, 4)}, "one to three sizes"), ({"grid": -1}, "one to three"),
    ({"block": 40000}, "at most"), ({"lanes": 5}, "lanes|4, 8, 16"), ({"items": (4, 0)}, "start at 1"),
])
def test_launches_that_cannot_be(gpu, keywords, error):
    with pytest.raises(ValueError, match=error):
        gpu.launch("vecadd", normal(4), normal(4), samite.Out(4), 4, **keywords)


def test_outputs_that_cannot_be():
    read_only = np.zeros(4, "<f4")
    read_only.flags.writeable = False
    for value, error in ((read_only, "read-only"), (np.zeros((4, 4))[:, 1], "not contiguous"), ([1], "list")):
        with pytest.raises(ValueError, match=error):
            samite.InOut(value)
    with pytest.raises(ValueError, match="big-endian"):
        samite.Out(4, ">f4")


def test_programs_that_cannot_be(gpu, tmp_path):
    with pytest.raises(ValueError, match="no symbol 'vecsub'; there are vecadd"):
        gpu.launch("vecsub")
    with pytest.raises(ValueError, match="no program is loaded"):
        samite.Gpu().launch("vecadd")
    with pytest.raises(FileNotFoundError):
        gpu.load(tmp_path / "none.s")
    (tmp_path / "bad.s").write_text("    addd a0, a0, a1\n    lw a0\n")
    with pytest.raises(samite.SourceError) as caught:
        gpu.load(tmp_path / "bad.s")
    assert "bad.s:1:5: error: unknown instruction 'addd'" in str(caught.value)
    assert caught.value.messages.count("error:") == 2 and isinstance(caught.value, ValueError)
    (tmp_path / "bad.elf").write_bytes(b"\x7fELF" + bytes(100))
    with pytest.raises(ValueError, match="bad.elf"):
        gpu.load(tmp_path / "bad.elf")
    with pytest.raises(ValueError, match="RV64"):
        gpu.load(samite.assemble("nop", isa="tensor"))
    for keywords, error in (({"schedule": "x"}, "schedule"), ({"jobs": 0}, "jobs=0")):
        with pytest.raises(ValueError, match=error):
            samite.Gpu(**keywords)


def test_assembling_with_defines_and_includes(tmp_path):
    (tmp_path / "part.inc").write_text("    li a1, VALUE\n")
    program = samite.assemble(".include \"part.inc\"\nend: nop", defines={"VALUE": 5}, include_paths=[tmp_path],
                              base=0x1000)
    assert program.symbols["end"] == 0x1004 and program.entry == 0x1000
    assert "li" in program.disassemble() and program.describe(0x1004) == "end"
    with pytest.raises(ValueError):
        samite.assemble("nop", isa="x86")


def test_elf_and_assembly_are_the_same(tmp_path, gpu):
    (tmp_path / "v.s").write_text((KERNELS / "start.inc").read_text() + (KERNELS / "vecadd.s").read_text())
    samite_command("asm", tmp_path / "v.s", "-o", tmp_path / "v.elf")
    other = samite.Gpu()
    other.load(tmp_path / "v.elf")
    (expected, result), (_, first) = vecadd(other), vecadd(gpu)
    assert np.array_equal(result.outputs[0], expected) and np.array_equal(first.outputs[0], expected)


def test_numbers_that_do_not_fit(gpu):
    a = np.zeros(32, "f4")
    memory = gpu.alloc(128)
    over = 1 << 32
    for words in ({"lanes": over + 32}, {"lanes": -32}, {"private": over + 16}, {"local": -1}, {"print_size": over + 8},
                  {"grid": "22"}, {"grid": None}, {"grid": 2.0}, {"block": (32, 1.0)}):
        with pytest.raises(ValueError):
            gpu.launch("vecadd", a, a, samite.Out(32), 32, **{"block": 32, **words})
    for address in (over + memory.address, -over + memory.address):
        with pytest.raises(ValueError, match="out of range"):
            gpu.write(address, a)
    for words in ({"max_insns": -5}, {"max_insns": 1 << 64}, {"simt_stack_limit": over + 3}, {"cycles": 5},
                  {"cycles": ["preset"]}):
        with pytest.raises(ValueError):
            samite.Gpu(**words)
    with pytest.raises(ValueError, match="max_insns=-1"):
        samite.Hart(max_insns=-1)


def test_memory_of_another_machine(gpu):
    other, hart = samite.Gpu(), samite.Hart()
    a = np.zeros(32, "f4")
    with pytest.raises(ValueError, match="argument 1 is memory of another machine"):
        gpu.launch("vecadd", a, other.buffer(a), samite.Out(32), 32, block=32)
    hart.load(samite.assemble("ret", isa="tensor"))
    with pytest.raises(ValueError, match="argument 0 is memory of another machine"):
        hart.run(other.buffer(a))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_no_copies_of_what_the_library_owns(gpu, copied):
    a = np.zeros(32, "f4")
    program = samite.assemble("ret")
    with gpu.session("vecadd", a, a, samite.Out(32), 32, block=32) as session:
        for one in (gpu, session, program, samite.Hart(), samite.System()):
            with pytest.raises(TypeError, match=f"a {type(one).__name__} cannot be copied or pickled"):
                copied(one)


def test_a_run_in_a_callback_of_a_run():
    gpu = samite.Gpu(jobs=1, progress=lambda *_: vecadd(gpu))
    gpu.load(KERNELS / "vecadd.s")
    with pytest.raises(ValueError, match="the machine is running: one run at a time"):
        vecadd(gpu)
    with pytest.raises(ValueError, match="the machine is running"):  # usable, and refused again
        vecadd(gpu)
