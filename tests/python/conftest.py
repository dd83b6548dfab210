# SPDX-License-Identifier: Apache-2.0
"""What the tests share: where the sources and the build are, weights that look like a network's."""
import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

SOURCE = Path(os.environ.get("SAMITE_SOURCE", Path(__file__).resolve().parents[2]))
KERNELS = SOURCE / "kernels"
COMMAND = os.environ.get("SAMITE", str(SOURCE / "build" / "samite"))


def normal(shape, seed=1, scale=0.02):
    """f32 as a trained layer has them."""
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype("<f4")


def bf16(shape, seed=1):
    """The bits of bf16, in an array of u16."""
    return (normal(shape, seed).view("<u4") >> 16).astype("<u2")


def samite_command(*words, cwd=None):
    """Run the command; its standard output."""
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(autouse=True)
def interruptible():
    """A shell starts background jobs with SIGINT ignored, and Python then installs no handler for it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def model():
    """Tensors of many types and shapes, and the types of those whose arrays hold other bits."""
    random = np.random.default_rng(7)
    tensors = {
        "embed": bf16((1500, 700)),  # more than one chunk
        "norm": normal(700, 3),
        "half": normal((5, 40, 70), 4).astype("<f2"),
        "fp8": random.integers(0, 120, (64, 33), dtype="u1"),
        "scalar": np.array(2.5, "<f8"),
        "empty": np.zeros((0, 3), "<i4"),
        "flags": random.integers(0, 2, 9).astype("?"),
        "steps": np.arange(-4, 4, dtype="<i8").reshape(2, 2, 2),
    }
    return tensors, {"embed": "bf16", "fp8": "e4m3"}
