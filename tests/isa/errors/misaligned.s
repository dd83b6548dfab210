    nop
    .byte 1
    nop
