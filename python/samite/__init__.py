# SPDX-License-Identifier: Apache-2.0
"""Samite: packed weights as arrays, and programs for RISC-V tensor accelerators run on arrays.

    with samite.open("model.safetensors.smw") as f:
        rows = f.get_slice("embed")[100:200]
    gpu = samite.Gpu()
    gpu.load("vecadd.s")
    result = gpu.launch("vecadd", a, b, samite.Out(a.shape, a.dtype), a.size, grid=32, block=32)

docs/python.md is the manual.
"""
from ._folder import WeightFolder, load_folder, open_folder
from ._library import VERSION as __version__
from ._library import SourceError, Stopped, Trap, version
from ._pack import PackReport, pack, save_file, unpack, verify
from ._weights import TensorSlice, TensorStat, WeightFile, load_file, open

__all__ = [
    "PackReport", "SourceError", "Stopped", "TensorSlice", "TensorStat", "Trap", "WeightFile", "WeightFolder",
    "__version__", "load_file", "load_folder", "open", "open_folder", "pack", "save_file", "unpack", "verify",
    "version",
]
