# SPDX-License-Identifier: Apache-2.0
    .else
    .endif
    .elseif 1
    .if 1
    .else
    .else
    .endif
    .ifdef 5
    .endif
    .if 1
