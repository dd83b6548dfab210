# SPDX-License-Identifier: Apache-2.0
    .warning "take care"
    .section .odd, "aq"
    .text
    unknown a0
