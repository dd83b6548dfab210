# SPDX-License-Identifier: Apache-2.0
    .macro again
    again
    .endm
    again
