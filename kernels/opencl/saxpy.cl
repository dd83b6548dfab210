/* SPDX-License-Identifier: Apache-2.0 */
/* saxpy: y[i] = a * x[i] + y[i] with one rounding; any grid handles any n. */
__kernel void saxpy(__global const float *x, __global float *y, uint n, float a)
{
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        y[i] = fma(a, x[i], y[i]);
}
