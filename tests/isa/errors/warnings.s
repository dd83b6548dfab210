    .warning "take care"
    .section .odd, "aq"
    .text
    unknown a0
