# SPDX-License-Identifier: Apache-2.0
import samite

with samite.open("m.safetensors.smw") as f:
    a, b, total = (f.get_slice(name)[40:1064] for name in ("a", "b", "total"))
gpu = samite.Gpu()
gpu.load("kernels/vecadd.s")
result = gpu.launch("vecadd", a, b, samite.Out(a.shape, a.dtype), a.size, grid=32, block=32)
print(result.outputs[0][:4], (result.outputs[0] == total).all(), result.stats.warp_insns)
