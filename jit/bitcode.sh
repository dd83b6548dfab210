#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes an assembly file that holds each file given under its name: NAME and NAME_end.
for file in "$@"; do
    # The sum tells caches of compilers that the contents have changed.
    printf '/* %s */\n' "$(cksum <"$file")"
    name=$(basename "$file" .bc)
    printf '.section .rodata\n.globl %s, %s_end\n.hidden %s, %s_end\n' "$name" "$name" "$name" "$name"
    printf '.balign 8\n%s:\n.incbin "%s"\n%s_end:\n.byte 0\n' "$name" "$(realpath "$file")" "$name"
done
printf '.section .note.GNU-stack,"",%%progbits\n'
