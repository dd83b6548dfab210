/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of this folder. */
#include "check.h"

const struct kernel_check kernel_checks[] = {
    {"vecadd", "elements", 100000, 1u << 24, 64, check_vecadd},
    {"saxpy", "elements", 100000, 1u << 24, 64, check_saxpy},
    {"matadd", "rows", 512, 1u << 19, 64, check_matadd},
    {"sgemm", "rows", 512, 1u << 20, 64, check_sgemm},
    {"sgemm_rows", "rows", 512, 1u << 20, 256, check_sgemm_rows},
    {"reduce", "elements", 100000, 1u << 24, 64, check_reduce},
    {"scan", "elements", 100000, 1u << 24, 64, check_scan},
    {"softmax", "columns", 4096, 1u << 22, 64, check_softmax},
    {"transpose", "rows", 512, 1u << 19, 1024, check_transpose},
    {"histogram", "elements", 100000, 1u << 24, 64, check_histogram},
    {"bfs", "vertices", 20000, 1u << 22, 64, check_bfs},
    {"diverge", "items", 20000, 1u << 24, 64, check_diverge},
    {"spill", "items", 20000, 1u << 22, 64, check_spill},
    {"vftta", "rows", 512, 1u << 20, 64, check_vftta},
};
const size_t kernel_check_count = sizeof kernel_checks / sizeof kernel_checks[0];
