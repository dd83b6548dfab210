# SPDX-License-Identifier: Apache-2.0
    vbeq v1, v2, far
    j . + 3
    jal ra, too_far
    beq a0, a1, too_far
    .space 5000
far:
    .space 2 << 20
too_far:
