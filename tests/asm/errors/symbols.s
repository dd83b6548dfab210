# SPDX-License-Identifier: Apache-2.0
here: nop
here: nop
a0: nop
    j nowhere
    j 1f
    j 2b
    .word here + there
    .set loop, loop2
    .set loop2, loop
    .word loop
    .equiv fixed, 1
    .equiv fixed, 2
    .set v1, 3
