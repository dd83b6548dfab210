/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of this folder. */
#include "check.h"

const struct kernel_check kernel_checks[] = {
    {"vecadd", "elements", 100000, 1u << 24, 64, check_vecadd, true},
    {"saxpy", "elements", 100000, 1u << 24, 64, check_saxpy, true},
    {"matadd", "rows", 512, 1u << 19, 64, check_matadd, false},
    {"sgemm", "rows", 512, 1u << 20, 64, check_sgemm, true},
    {"sgemm_rows", "rows", 512, 1u << 20, 256, check_sgemm_rows, false},
    {"reduce", "elements", 100000, 1u << 24, 64, check_reduce, true},
    {"scan", "elements", 100000, 1u << 24, 64, check_scan, true},
    {"softmax", "columns", 4096, 1u << 22, 64, check_softmax, true},
    {"transpose", "rows", 512, 1u << 19, 1024, check_transpose, true},
    {"histogram", "elements", 100000, 1u << 24, 64, check_histogram, true},
    {"bfs", "vertices", 20000, 1u << 22, 64, check_bfs, true},
    {"diverge", "items", 20000, 1u << 24, 64, check_diverge, true},
    {"spill", "items", 20000, 1u << 22, 64, check_spill, false},
    {"vftta", "rows", 512, 1u << 20, 64, check_vftta, false},
};
const size_t kernel_check_count = sizeof kernel_checks / sizeof kernel_checks[0];
