    .macro again
    again
    .endm
    again
