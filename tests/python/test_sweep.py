# SPDX-License-Identifier: Apache-2.0
"""samite.sweep: the same figures as single runs and as the command's, in order; failures as rows; Ctrl-C."""
import json
import signal
import threading

import numpy as np
import pytest

import samite
from conftest import KERNELS, normal, samite_command

GEMM = KERNELS / "gemm_f32.s"


def gemm_arguments(n=48):
    return normal((n, n), 1), normal((n, n), 2), samite.Out((n, n)), n, n, n


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_combination(jobs):
    config = {"mpara": [2, 8], "slots": [1, 4]}
    arguments = gemm_arguments()
    seen = []
    rows = samite.sweep(GEMM, config, *arguments, jobs=jobs, progress=lambda *n: seen.append(n))
    assert [row.config for row in rows] == [{"mpara": m, "slots": s} for m in (2, 8) for s in (1, 4)]
    assert seen == [(n, 4) for n in (1, 2, 3, 4)]
    for row in rows:
        hart = samite.Hart(cycles=row.config)
        hart.load(GEMM)
        assert row.error is None and row.cycles == hart.run(*gemm_arguments()).cycles.cycles
        assert np.allclose(row.result.outputs[0], arguments[0] @ arguments[1].T, atol=1e-5)
    assert not arguments[2].array.any()  # each run has its own
    assert len({row.cycles for row in rows}) > 1


def test_the_command_counts_the_same(tmp_path):
    (tmp_path / "p.s").write_text("_start: li t0, 100\n1: addi t0, t0, -1\n bnez t0, 1b\n"
                                  " li a0, 0\n li a7, 93\n ecall\n")
    rows = samite.sweep(tmp_path / "p.s", {"scalar_cpi": [1, 3]})
    told = json.loads(samite_command("sweep", tmp_path / "p.s", "--config", "scalar_cpi=1,3", "--json"))
    told = told.get("runs", told) if isinstance(told, dict) else told
    text = json.dumps(told)
    assert rows[0].cycles < rows[1].cycles and all(str(row.cycles) in text for row in rows)


def test_kernel_and_function():
    n = 500
    arguments = normal(n), normal(n), samite.Out(n), n
    rows = samite.sweep(KERNELS / "vecadd.s", {"mem_latency": [10, 400]}, *arguments, machine="ventus", kernel="vecadd",
                        launch={"grid": 16, "block": 32})
    assert rows[0].cycles < rows[1].cycles and rows[0].result.cycles.cycles == rows[0].cycles
    assert samite.sweep(lambda config: config["x"] ** 2, {"x": [1, 2, 3]})[2].cycles == 9
    assert samite.sweep(lambda config: None, {})[0].cycles is None


def test_failures_are_rows():
    rows = samite.sweep(GEMM, {"mpara": [3, 4]}, *gemm_arguments(), max_insns=100)
    assert "mpara" in rows[0].error and rows[0].cycles is None
    assert "100" in rows[1].error and rows[1].result.end == "budget" and rows[1].cycles is None


def test_errors_of_the_program_are_raised(tmp_path):
    (tmp_path / "bad.s").write_text("addd")
    with pytest.raises(samite.SourceError):
        samite.sweep(tmp_path / "bad.s", {"mpara": [2]})
    with pytest.raises(FileNotFoundError):
        samite.sweep(tmp_path / "none.s", {"mpara": [2]})


@pytest.mark.parametrize("keywords, error", [({"machine": "x"}, "machine"), ({"kernel": "k"}, "kernel is for"),
                                             ({"machine": "ventus"}, "kernel is for"), ({"jobs": 0}, "jobs")])
def test_what_cannot_be(keywords, error):
    with pytest.raises(ValueError, match=error):
        samite.sweep(GEMM, {}, **keywords)
    with pytest.raises(ValueError, match="parameters alone"):
        samite.sweep(lambda config: 1, {}, 5)


@pytest.mark.parametrize("signals", [1, 40])
def test_ctrl_c_ends_runs_on_other_threads(tmp_path, signals):
    sent = []

    def progress(*_):
        if len(sent) < signals:
            sent.append(signal.SIGINT)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    (tmp_path / "p.s").write_text("_start: j _start\n")
    many = {"x": range(3000)}  # the first signal comes while they are submitted
    with pytest.raises(KeyboardInterrupt):
        samite.sweep(lambda config: forever(tmp_path / "p.s", progress), many, jobs=2)


def forever(path, progress):
    hart = samite.Hart(progress=progress)
    hart.load(path)
    return hart.run()
