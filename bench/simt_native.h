/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMT_NATIVE_H
#define SIMT_NATIVE_H

#include <stdint.h>

struct native_state {
    _Alignas(64) uint32_t v[12][32];
    _Alignas(64) float f[12][32];
    uint32_t t0, t2;
    uint32_t buffer[1 << 14];
};

/* `turns` iterations of the loop of the same name in bench/loops/. */
void native_int_32(uint64_t turns, struct native_state *state);
void native_int_8(uint64_t turns, struct native_state *state);
void native_half(uint64_t turns, struct native_state *state);
void native_float(uint64_t turns, struct native_state *state);
void native_memory(uint64_t turns, struct native_state *state);
void native_memory_8(uint64_t turns, struct native_state *state);
void native_scalar(uint64_t turns, struct native_state *state);

#endif
