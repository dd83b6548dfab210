# SPDX-License-Identifier: Apache-2.0
"""Samite: packed weights as arrays, and programs for RISC-V tensor accelerators run on arrays.

    with samite.open("model.safetensors.smw") as f:
        rows = f.get_slice("embed")[100:200]
    gpu = samite.Gpu()
    gpu.load("vecadd.s")
    result = gpu.launch("vecadd", a, b, samite.Out(a.shape, a.dtype), a.size, grid=32, block=32)

docs/python.md is the manual.
"""
from ._arguments import InOut, Local, Memory, Out
from ._folder import WeightFolder, load_folder, open_folder
from ._gpu import BranchStats, Gpu, GpuCycles, GpuStats, LaunchResult
from ._hart import Hart, HartCycles, HartResult, HartStats
from ._library import VERSION as __version__
from ._library import SourceError, Stopped, Trap, version
from ._network import Network, NetworkResult
from ._op import OpCycles, OpResult, op
from ._pack import PackReport, pack, save_file, unpack, verify
from ._programs import KernelArgument, Program, assemble, cc
from ._session import Access, Session, StackEntry, Step, Stop, WarpState
from ._sweep import SweepRow, sweep
from ._system import LaunchRow, System, SystemCycles, SystemResult
from ._tile import TileResult, TileStats, tile
from ._weights import TensorSlice, TensorStat, WeightFile, load_file, open

__all__ = [
    "Access", "BranchStats", "Gpu", "GpuCycles", "GpuStats", "Hart", "HartCycles", "HartResult", "HartStats",
    "InOut", "KernelArgument", "LaunchResult", "LaunchRow", "Local", "Memory", "Network", "NetworkResult",
    "OpCycles", "OpResult", "Out", "PackReport", "Program", "Session", "SourceError", "StackEntry", "Step", "Stop",
    "Stopped", "SweepRow", "System", "SystemCycles", "SystemResult", "TensorSlice", "TensorStat", "TileResult",
    "TileStats", "Trap", "WarpState", "WeightFile", "WeightFolder", "__version__", "assemble", "cc", "load_file",
    "load_folder", "op", "open", "open_folder", "pack", "save_file", "sweep", "tile", "unpack", "verify", "version",
]
