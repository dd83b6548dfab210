# SPDX-License-Identifier: Apache-2.0
"""samite.System: a layer of packed weights against NumPy, traps of kernels, cycles, races."""
import numpy as np
import pytest

import samite
from conftest import KERNELS, SOURCE, normal

L1M = 0x01000000
DEVICE = SOURCE / "include" / "samite" / "device"


@pytest.fixture
def layer(tmp_path):
    """16 tokens of 128 features, 64 columns; the packed file and the logits."""
    tokens, weight = normal((1, 128, 16), 1, 1).astype("<f2"), normal((64, 128), 2).astype("<f2")
    # The programs want the tokens first: tensors of one type are stored in the order of their names.
    samite.save_file({"tokens": tokens, "weight": weight}, tmp_path / "layer.smw")
    return tmp_path / "layer.smw", tokens[0].T.astype("f8") @ weight.T.astype("f8")


def system_of(weights, **keywords):
    system = samite.System(**keywords)
    system.load_gpu(KERNELS / "system" / "gpu.s")
    system.load(KERNELS / "system" / "layer.s")
    system.load_weights(weights)
    return system


def address_of(name):
    text = (KERNELS / "system" / "layer_memory.h").read_text()
    return int(text.partition(f"{name} = ")[2].partition(",")[0], 0)


def logits_of(system, shape):
    base = int((DEVICE / "layout.inc").read_text().partition("SAM_SYSTEM_L1M, ")[2].split()[0], 0)
    return system.read(base + address_of("LAYER_LOGITS"), np.empty(shape, "<f4"))


def test_layer_of_packed_weights(layer):
    weights, expected = layer
    system = system_of(weights, stats=True)
    result = system.run()
    assert (result.end, result.exit_code) == ("exit", 0)
    logits = logits_of(system, expected.shape)
    assert np.allclose(logits, expected, atol=1e-3)
    assert [row.trap for row in result.launches] == ["none"] * len(result.launches) and result.launches
    assert result.stats["launches"] == len(result.launches) and result.stats["weight_records"] > 0
    assert result.gpu.warp_insns == sum(row.warp_insns for row in result.launches) > 0
    best = int(logits[15].argmax())
    assert f"row  15: column {best:4}" in result.output  # a kernel's print
    assert result.cycles is None and result.races == ""


def test_cycles_of_packed_and_raw_weights(layer):
    weights, _ = layer
    counts = {}
    for raw in (False, True):
        result = system_of(weights, cycles={"mem.dram_bytes": 4}, raw_weights=raw).run()
        counts[raw] = result.cycles
        assert result.cycles.figures["cycles"] == result.cycles.cycles > 1000
        assert "DRAM" in result.cycles.report and result.cycles.instructions == result.instructions
    assert counts[False].cycles != counts[True].cycles
    for config in ("mem.dram_bites=4", {"wu.nothing": 1}):
        with pytest.raises(ValueError, match="dram_bytes|wu"):
            samite.System(cycles=config)


def test_layer_needs_long_rows(layer):
    """The program checks MLEN, and exits with 1."""
    assert system_of(layer[0], mlen=256).run().exit_code != 0


def test_layer_with_two_accumulators(layer):
    weights, expected = layer
    system = system_of(weights, acc_regs="0:4")
    assert system.run().exit_code == 0
    assert np.allclose(logits_of(system, expected.shape), expected, atol=1e-3)


def test_no_races_in_the_layer(layer):
    assert system_of(layer[0], races=True).run().races == ""


def test_trap_of_the_hart():
    system = samite.System()
    system.load(samite.assemble("_start: nop\nbad: lw a0, 8(zero)", isa=samite.System().isa, base=0x40000000))
    with pytest.raises(samite.Trap) as caught:
        system.run()
    trap = caught.value
    assert (trap.machine, trap.kind, trap.symbol, trap.tval, trap.launch) == ("system", "trap", "bad", 8, None)
    assert trap.result.instructions == 1


def test_trap_of_a_kernel(layer, tmp_path):
    """The kernel that the layer launches second, with a store to nowhere in front of it."""
    text = (KERNELS / "system" / "gpu.s").read_text()
    (tmp_path / "gpu.s").write_text(text.replace("\nbest:", "\nbest:\n sw zero, 0(zero)"))
    system = samite.System()
    system.load_gpu(tmp_path / "gpu.s", include_paths=[KERNELS / "system"])
    system.load(KERNELS / "system" / "layer.s")
    system.load_weights(layer[0])
    with pytest.raises(samite.Trap) as caught:
        system.run()
    trap = caught.value
    assert (trap.machine, trap.kind, trap.symbol, trap.launch) == ("system", "store_fault", "best", 1)
    assert trap.tval == 0 and trap.warp == 0 and trap.result.launches[-1].trap == "store_fault"
    assert trap.result.end == "kernel trap"


def test_arguments_and_memory():
    system = samite.System()
    system.load(samite.assemble("_start: lw t0, 0(a0)\n add t0, t0, a2\n sw t0, 0(a1)\n li a0, 0\n li a7, 93\n ecall",
                                isa=system.isa, base=0x40000000))
    result = system.run(np.array([40], "<i4"), samite.Out(1, "<i4"), 2)
    assert result.outputs[0][0] == 42 and result.exit_code == 0
    memory = system.alloc(64)
    memory.write(np.arange(16, dtype="<u4"))
    assert memory.read(2, "<u4", offset=8).tolist() == [2, 3]


def test_what_cannot_be(tmp_path):
    system = samite.System()
    (tmp_path / "x.smw").write_bytes(bytes(200))
    with pytest.raises(ValueError, match="x.smw: "):
        system.load_weights(tmp_path / "x.smw")
    with pytest.raises(FileNotFoundError):
        system.load_weights(tmp_path / "none.smw")
    for keywords, error in (({"gpu_traps": "x"}, "gpu_traps"), ({"heap_size": 5}, "heap|4096|KiB"),
                            ({"isa": "rv32ima"}, "")):
        if keywords == {"isa": "rv32ima"}:
            assert samite.System(**keywords).isa == "rv32ima"
            continue
        with pytest.raises(ValueError, match=error):
            samite.System(**keywords)


@pytest.mark.parametrize("machine", [samite.Gpu, samite.Hart, samite.System])
def test_memory_of_machines(machine):
    """Every machine checks the arrays that it copies."""
    one = machine()
    memory = one.buffer(np.arange(8, dtype="<u4"))
    assert one.read(memory.address, np.zeros(8, "<u4")).tolist() == list(range(8))
    read_only = np.zeros(8, "<u4")
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="not contiguous"):
        one.write(memory.address, np.zeros(16, "<u4")[::2])
    with pytest.raises(ValueError, match="not contiguous"):
        one.read(memory.address, np.zeros(16, "<u4")[::2])
    with pytest.raises(ValueError, match="read-only"):
        one.read(memory.address, read_only)
    with pytest.raises(ValueError, match="expected a NumPy array"):
        one.write(memory.address, [1, 2])
    assert memory.read(dtype="<u4").tolist() == list(range(8))
