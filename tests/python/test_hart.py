# SPDX-License-Identifier: Apache-2.0
"""samite.Hart: programs on arrays against NumPy, registers, traps, cycles, files."""
import json
import signal
import threading

import numpy as np
import pytest

import samite
from conftest import KERNELS, normal

SUM_ARGUMENTS = """
_start:
    lw      t0, 0(sp)       # the ninth
    ld      t1, 8(sp)       # the tenth
    add     t0, t0, t1
    add     t0, t0, a7
    sd      t0, 0(a0)
    sd      a1, 8(a0)
    li      a0, 3
    li      a7, 93
    ecall
"""


@pytest.fixture
def gemm():
    hart = samite.Hart(stats=True, cycles=True)
    hart.load(KERNELS / "gemm_f32.s", include_paths=[KERNELS])
    a, b = normal((20, 50), 1, 1), normal((30, 50), 2, 1)
    c = normal((20, 30), 3, 1)
    return a @ b.T + c, hart.run(a, b, samite.InOut(c), 20, 30, 50), c


def test_gemm_on_arrays(gemm):
    expected, result, c = gemm
    assert result.outputs[0] is c and np.allclose(c, expected, atol=1e-4)
    assert (result.end, result.exit_code) == ("exit", 0)


def test_statistics_and_cycles(gemm):
    _, result, _ = gemm
    stats, cycles = result.stats, result.cycles
    assert stats.instructions == result.instructions == sum(stats.classes.values())
    assert stats.m_macs >= 20 * 30 * 50 and stats.m_bytes_loaded > 0 and stats.classes["m.mma"] > 0
    assert cycles.cycles == sum(cycles.issue.values()) and 0 < cycles.utilisation < 1
    assert cycles.matrix["macs"] == stats.m_macs and cycles.matrix["macs_of"] == {"f32": stats.m_macs}
    assert json.loads(json.dumps(cycles.matrix)) == cycles.matrix
    for states in cycles.matrix["units"].values():
        assert sum(states.values()) == cycles.matrix["cycles"] == cycles.cycles
    for engine in cycles.engines.values():
        assert sum(engine["cycles"].values()) == cycles.cycles


def test_parameters_of_the_models():
    counts = []
    for config in ({"mpara": 2, "npara": 2}, "mpara=16,npara=16"):
        hart = samite.Hart(cycles=config)
        hart.load(KERNELS / "gemm_f32.s", include_paths=[KERNELS])
        counts.append(hart.run(normal((64, 64)), normal((64, 64), 2), samite.Out((64, 64)), 64, 64, 64).cycles.cycles)
    assert counts[0] > counts[1]
    for config, error in (("mparaa=2", "mpara"), ({"mpara": 3}, "mpara")):
        with pytest.raises(ValueError, match=error):
            samite.Hart(cycles=config)


def test_arguments_in_registers_and_on_the_stack():
    hart = samite.Hart()
    hart.load(samite.assemble(SUM_ARGUMENTS, isa="tensor"))
    result = hart.run(samite.Out(2, "i8"), np.uint64(1 << 40), 0, 0, 0, 0, 0, -5, 1000, np.int64(1 << 33))
    assert list(result.outputs[0]) == [1000 + (1 << 33) - 5, 1 << 40] and result.exit_code == 3


def test_rv32_splits_wide_scalars():
    hart = samite.Hart("rv32im_zicsr")
    hart.load(samite.assemble("_start: sw a1, 0(a0)\n sw a2, 4(a0)\n li a7, 93\n ecall", isa="rv32im_zicsr"))
    out = hart.run(samite.Out(1, "u8"), np.uint64(0x1122334455667788)).outputs[0]
    assert out[0] == 0x1122334455667788
    with pytest.raises(ValueError, match="XLEN|RV64|64"):
        hart.load(samite.assemble("nop", isa="tensor"))


def test_registers_memory_and_continuing():
    hart = samite.Hart()
    hart.load(samite.assemble("_start: addi a0, a0, 1\n ebreak\n addi a0, a0, 1\n ebreak", isa="tensor"))
    hart.regs["a0"] = 41
    assert hart.run().end == "ebreak" and hart.regs["a0"] == hart.regs[10] == 42
    hart.pc += 4
    hart.run()
    assert hart.regs["x10"] == 43
    for name in ("a9", 32, -1):
        with pytest.raises(KeyError, match="no register"):
            hart.regs[name]
    memory = hart.map(0x1000, 64)
    memory.write(np.arange(4, dtype="<u4"), offset=16)
    assert list(memory.read(3, "<u4", offset=16)) == [0, 1, 2]
    with pytest.raises(ValueError):
        hart.read(0x5000_0000, np.empty(4, "u1"))


def test_trap_has_its_fields():
    hart = samite.Hart(stats=True)
    hart.load(samite.assemble("_start: nop\nbad: lw a0, 4(zero)", isa="tensor"))
    with pytest.raises(samite.Trap) as caught:
        hart.run()
    trap = caught.value
    assert (trap.machine, trap.kind, trap.cause, trap.tval, trap.symbol) == ("hart", "trap", 5, 4, "bad")
    assert trap.pc == 0x80000004 and trap.word == 0x00402503 and trap.result.instructions == 1
    assert "lw" in str(trap) and trap.warp is None


def test_budget_and_progress():
    seen = []
    hart = samite.Hart(max_insns=300_000, progress=lambda *numbers: seen.append(numbers))
    hart.load(samite.assemble("_start: j _start", isa="tensor"))
    with pytest.raises(samite.Trap) as caught:
        hart.run()
    assert caught.value.kind == "budget" and caught.value.result.instructions == 300_000
    assert len(seen) >= 3 and all(limit == 300_000 and pc == 0x80000000 for _, limit, pc in seen)


def test_exception_in_progress():
    def progress(*_):
        raise LookupError("enough")

    hart = samite.Hart(progress=progress)
    hart.load(samite.assemble("_start: j _start", isa="tensor"))
    with pytest.raises(LookupError, match="enough"):
        hart.run()


@pytest.mark.parametrize("machine", [samite.Hart, samite.System])
def test_a_run_in_a_callback_writes_nothing(machine):
    one = machine(progress=lambda *_: one.run(7))
    one.load(samite.assemble("_start: li a0, 5\n1: j 1b", isa="tensor"))
    with pytest.raises(ValueError, match="the machine is running: one run at a time"):
        one.run()
    assert one.regs["a0"] == 5


def test_ctrl_c():
    def progress(*_):
        if not sent.is_set():
            sent.set()
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    sent = threading.Event()
    hart = samite.Hart(progress=progress)
    hart.load(samite.assemble("_start: j _start", isa="tensor"))
    with pytest.raises(KeyboardInterrupt):
        hart.run()


HELLO = """
_start:
    li      a0, 1           # write(1, text, 6)
    la      a1, text
    li      a2, 6
    li      a7, 64
    ecall
    li      a0, 0
    li      a7, 93
    ecall
text: .ascii "hello\\n"
"""


def test_console():
    hart = samite.Hart()
    hart.load(samite.assemble(HELLO, isa="tensor"))
    assert hart.run().output == "hello\n"


def test_what_cannot_be(tmp_path):
    for keywords, error in (({"isa": "rv32gc"}, "rv32gc|missing|lacks|c"), ({"mlen": 100}, "mlen|MLEN"),
                            ({"acc_regs": "0:8"}, "acc_regs"),
                            ({"arguments": [1]}, "must be a str"), ({"arguments": ["a\0b"]}, "null character")):
        with pytest.raises((ValueError, TypeError), match=error):
            samite.Hart(**keywords)
    with pytest.raises(OSError):
        samite.Hart(folder=tmp_path / "none")
    hart = samite.Hart()
    with pytest.raises(ValueError, match="argument 0 is Local"):
        hart.run(samite.Local(4))
    with pytest.raises(ValueError, match="not contiguous"):
        hart.run(np.zeros((4, 4))[:, 1])
