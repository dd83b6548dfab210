# SPDX-License-Identifier: Apache-2.0
    nop
    .byte 1
    nop
