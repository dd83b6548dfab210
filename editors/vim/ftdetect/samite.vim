" SPDX-License-Identifier: Apache-2.0
autocmd BufRead,BufNewFile *.pto setfiletype pto
autocmd BufRead,BufNewFile *.s,*.S set filetype=samiteasm
autocmd BufRead,BufNewFile *.cl set filetype=opencl
