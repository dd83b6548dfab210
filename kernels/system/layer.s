# SPDX-License-Identifier: Apache-2.0
# For --machine system: a layer of packed weights for 16 tokens, without a compiler. The same as gemm.c
# with one group of tokens: see layer.h for the tensors and layer_memory.h for where the results are.
#   samite run layer.s --machine system --gpu-code gpu.s --weights FILE.smw
# The file has `tokens` first, [1][K][16] of f16, then `weight`, [N][K]: K and N are multiples of
# 64, and N * 16 at most 65536. MLEN 512. Sums are in m4 to m7, or where acc_regs is 0:4 in m0 and m4.
    .include "../../include/samite/device/layout.inc"
    .equ    L1M_LOGITS, SAM_SYSTEM_L1M + 0x40000
    .equ    L1M_PROBABILITIES, SAM_SYSTEM_L1M + 0x80000
    .equ    L1M_LIKELY, SAM_SYSTEM_L1M + 0xc0000
    .equ    L0M_TILES, SAM_SYSTEM_L0M + 0x40000
    .equ    TILE, 1 << 17           # elements, a block of packed weights
    .equ    TILE_BYTES, 2 * TILE

# From one of three tiles to the next.
    .macro  next_buffer tile
    li      t0, TILE_BYTES
    add     \tile, \tile, t0
    li      t0, L0M_TILES + 3 * TILE_BYTES
    bltu    \tile, t0, 1f
    li      \tile, L0M_TILES
1:
    .endm

# With LOAD_WIDEN the unit widens weights of 8 bits when it loads them (mx.load_widen): they are
# decoded as they are. Activations are loaded as bytes, which it does not widen.
    .ifdef  LOAD_WIDEN
    .set    WEIGHT, 1               # bytes
    .macro  tokens register, address
    mldb    \register, s4, \address
    .endm
    .macro  weights register, address
    mldh    \register, s2, \address
    .endm
    .else
    .set    WEIGHT, 2
    .macro  tokens register, address
    mldh    \register, s4, \address
    .endm
    .macro  weights register, address
    mldh    \register, s4, \address
    .endm
    .endif

    .text
    .globl _start
_start:
    li      t0, SAM_SYSTEM_IDENTITY
    lwu     t0, 0(t0)
    srli    t1, t0, 8
    andi    t1, t1, 0xff            # registers that may be md of a product
    addi    tp, t1, -0x11           # 0: m0 and m4
    beqz    tp, .Lregisters
    li      t2, 0xf0                # m4 to m7
    beq     t1, t2, .Lregisters
    li      t2, 0xff
    bne     t1, t2, .Lfailed
.Lregisters:
    srli    t0, t0, 16
    li      t1, 512
    bne     t0, t1, .Lfailed        # MLEN
    beqz    a1, .Lfailed            # no weights
    lwu     t0, 0(a1)
    li      t1, 2
    bltu    t0, t1, .Lfailed
    addi    s0, a1, 4               # tokens
    addi    s1, s0, SAM_DIRECTORY_bytes_of_entry # weight
    lwu     s2, SAM_DIRECTORY_shape + 8(s0) # K
    lwu     s3, SAM_DIRECTORY_shape(s1) # N
    slli    s4, s2, 1               # bytes of a row of activations, and of weights
    slli    s5, s3, 2               # of a row of logits

    lla     a0, records             # the activations, into L1M
    mv      a1, s0
    li      a2, 0
    slli    a3, s2, 4
    li      a4, SAM_SYSTEM_L1M
    call    decode
    call    wait

    # The first two tiles of weights are decoded while the activations are turned.
    li      t0, TILE
    divu    s6, t0, s2
    andi    s6, s6, -64             # rows of weights in a tile
    beqz    s6, .Lfailed
    li      s7, 0                   # the first row that is not decoded yet
    li      s8, L0M_TILES           # where it goes
    call    decode_tile
    call    decode_tile

# Turn blocks of [64][16] into 16 rows.
    li      a0, SAM_SYSTEM_L1M
    li      a1, SAM_SYSTEM_L0M
    srli    t0, s2, 6               # count, and distance of rows in widths
    mv      t1, t0
    csrwi   tstore_stride0, 0
    csrw    tstore_stride1, t1
    .irp    row, 2, 3, 4, 5, 6, 7
    add     t1, t1, t0
    csrw    tstore_stride\row, t1
    .endr
    li      t1, 1024
    csrw    tload_width, t1
    csrwi   tload_stride0, 0
    li      t1, 128
    csrw    tstore_width, t1
    li      t2, 0x10101             # a slice of a KiB
    li      t3, 0x80101             # eight slices, each of a row
    li      t4, 0x01011040          # [64, 16, 1, 1]
    slli    t5, s4, 3               # eight rows
    add     t5, t5, a1
.Lturn:
    csrw    tshape, t2
    tl.load tl1, 0(a0)
    tl.load tl2, 1(a0)
    tl.xpose.h.01 tl1, tl2, t4
    csrw    tshape, t3
    tl.store tl1, 0(a1)
    tl.store tl2, 0(t5)
    addi    a0, a0, 1024
    addi    a0, a0, 1024
    addi    a1, a1, 128
    addi    t5, t5, 128
    addi    t0, t0, -1
    bnez    t0, .Lturn

# Multiply tile after tile. Of the two after it one is decoded, the other fetched.
    csrwi   xmcsr, 1
    li      t0, 0x401010            # K = 64 bytes, N = 16, M = 16
    mcfg    zero, t0
    li      s0, 0                   # the first row of this tile
    li      s9, L0M_TILES           # where it is
    li      t0, WEIGHT * 16         # bytes of 16 rows of weights
    mul     s10, s2, t0
    li      s11, 1                  # records that have to have ended: the activations
    li      a7, L1M_LOGITS
    li      a5, 0
.Ltile:
    addi    s11, s11, 1
    li      t0, SAM_SYSTEM_WEIGHT_DONE
.Lpoll:
    lwu     t1, 0(t0)
    bltu    t1, s11, .Lpoll
    lw      t1, SAM_SYSTEM_WEIGHT_STATUS - SAM_SYSTEM_WEIGHT_DONE(t0)
    bnez    t1, .Lfailed
    call    decode_tile
    sub     a6, s3, s0              # rows of this tile
    bltu    a6, s6, .Lshort
    mv      a6, s6
.Lshort:
    mv      a3, s9
    beqz    tp, .Ltwo_columns

# 16 rows of activations with four registers of 16 rows of weights.
.Lcolumns:
    .irp    sum, m4, m5, m6, m7
    mmov.mx \sum, a5
    .endr
    li      t0, SAM_SYSTEM_L0M
    mv      t1, a3
    add     t2, t1, s10
    add     t3, t2, s10
    add     t4, t3, s10
    mv      t5, s4
.Ldepth:
    tokens  m0, (t0)
    weights m1, (t1)
    weights m2, (t2)
    weights m3, (t3)
    fwmmacc.h m4, m1, m0
    weights m1, (t4)
    fwmmacc.h m5, m2, m0
    fwmmacc.h m6, m3, m0
    fwmmacc.h m7, m1, m0
    addi    t0, t0, 64
    .irp    pointer, t1, t2, t3, t4
    addi    \pointer, \pointer, WEIGHT * 32
    .endr
    addi    t5, t5, -64
    bnez    t5, .Ldepth
    .irp    sum, m4, m5, m6, m7
    mstw    \sum, s5, (a7)
    addi    a7, a7, 64
    .endr
    slli    t0, s10, 2
    add     a3, a3, t0
    addi    a6, a6, -64
    bnez    a6, .Lcolumns
.Lmultiplied:
    next_buffer s9
    add     s0, s0, s6
    bltu    s0, s3, .Ltile

# Softmax and the most likely columns, on the GPU.
    lla     s0, softmax
    lla     s1, best
    lla     t0, gpu__start
    lw      t1, 0(t0)
    beqz    t1, .Lfailed            # no program of the GPU
    sw      t1, SAM_LAUNCH_start(s0)
    sw      t1, SAM_LAUNCH_start(s1)
    lla     t2, softmax_metadata
    sw      t2, SAM_LAUNCH_metadata(s0)
    lw      t1, gpu_softmax - gpu__start(t0)
    sw      t1, SAM_METADATA_kernel(t2)
    lla     t3, best_metadata
    sw      t3, SAM_LAUNCH_metadata(s1)
    lw      t1, gpu_best - gpu__start(t0)
    sw      t1, SAM_METADATA_kernel(t3)
    lla     t1, arguments
    sw      s3, 8(t1)
    sw      t1, SAM_METADATA_arguments(t2)
    sw      t1, SAM_METADATA_arguments(t3)
    lla     t1, prints
    sw      t1, SAM_METADATA_print(t3)
    li      t0, SAM_SYSTEM_GPU_SUBMIT
    sw      s0, 0(t0)
    sw      s1, 0(t0)
    lw      t1, SAM_SYSTEM_GPU_WAIT - SAM_SYSTEM_GPU_SUBMIT(t0)
    bnez    t1, .Lfailed
    li      t1, 0
.Lexit:
    li      t0, SAM_SYSTEM_EXIT
    sw      t1, 0(t0)
.Lfailed:
    lla     t1, .Lmessage
    li      t0, SAM_SYSTEM_CONSOLE
.Lnext:
    lbu     t2, 0(t1)
    sw      t2, 0(t0)
    addi    t1, t1, 1
    li      t3, '\n'
    bne     t2, t3, .Lnext
    li      t1, 1
    j       .Lexit
.Lmessage:
    .ascii  "layer.s: expected --weights with tokens and weight, --gpu-code gpu.s, MLEN 512, acc_regs all, 4:5:6:7 or 0:4\n"
    .balign 4

# Decode the next rows of weights, if there are any, into s8.
decode_tile:
    sub     a3, s3, s7
    bltu    a3, s6, .Lrest
    mv      a3, s6
.Lrest:
    beqz    a3, .Lnone
    lla     a0, tile_records
    li      t0, L0M_TILES
    sub     t0, s8, t0
    srli    t0, t0, 12              # 64 bytes of record for TILE_BYTES of tile
    add     a0, a0, t0
    mv      a1, s1
    mul     a2, s7, s2
    add     s7, s7, a3
    mul     a3, a3, s2
    mv      a4, s8
    next_buffer s8
    j       decode
.Lnone:
    ret

# Decode a3 elements of tensor a1 from element a2 on, as f16, into a4; a0 is the record, whose last
# use has ended.
decode:
    lw      t0, SAM_DIRECTORY_type(a1)
    sw      t0, SAM_WEIGHT_packed_type(a0)
    .if     WEIGHT == 2
    li      t0, SAM_TYPE_F16
    .endif
    sw      t0, SAM_WEIGHT_output_type(a0)
    sw      a4, SAM_WEIGHT_destination(a0)
    li      t0, TILE_BYTES
    sw      t0, SAM_WEIGHT_destination_bytes(a0)
    sw      a2, SAM_WEIGHT_first_low(a0)
    sw      a3, SAM_WEIGHT_elements_low(a0)
    .macro  copy to, from
    lw      t0, SAM_DIRECTORY_\from(a1)
    sw      t0, SAM_WEIGHT_\to(a0)
    .endm
    copy    source, chunks
    copy    source_bytes, bytes
    copy    piece, piece
    copy    layout, layout
    copy    total_low, total
    li      t0, SAM_SYSTEM_WEIGHT_SUBMIT
    sw      a0, 0(t0)
    ret

wait:
    li      t0, SAM_SYSTEM_WEIGHT_WAIT
    lw      t0, 0(t0)
    bnez    t0, .Lfailed
    ret

# .Lcolumns with two registers of sums, m0 and m4, which cannot be sources.
.Ltwo_columns:
    mmov.mx m0, a5
    mmov.mx m4, a5
    li      t0, SAM_SYSTEM_L0M
    mv      t1, a3
    add     t2, t1, s10
    mv      t5, s4
.Ltwo_depth:
    tokens  m1, (t0)
    weights m2, (t1)
    weights m3, (t2)
    fwmmacc.h m0, m2, m1
    fwmmacc.h m4, m3, m1
    addi    t0, t0, 64
    .irp    pointer, t1, t2
    addi    \pointer, \pointer, WEIGHT * 32
    .endr
    addi    t5, t5, -64
    bnez    t5, .Ltwo_depth
    .irp    sum, m0, m4
    mstw    \sum, s5, (a7)
    addi    a7, a7, 64
    .endr
    slli    t0, s10, 1
    add     a3, a3, t0
    addi    a6, a6, -32
    bnez    a6, .Ltwo_columns
    j       .Lmultiplied

    .data
# Set to the addresses in the program of the GPU.
gpu__start:
    .word   0
gpu_softmax:
    .word   0
gpu_best:
    .word   0
    .balign 64
records:
    .zero   64
tile_records:
    .zero   3 * 64
# Two launches; what is not written here is filled in above.
softmax:
    .word   0, 0, 16, 1, 1, 32, 4, 4 * 1024 + 512
    .zero   32
best:
    .word   0, 0, 16, 1, 1, 32, 1, 1024 + 128
    .zero   32
softmax_metadata:
    .word   0, 0, 1, 16 * 128, 1, 1, 128, 1, 1
    .zero   28
best_metadata:
    .word   0, 0, 1, 16 * 32, 1, 1, 32, 1, 1, 0, 0, 0, 0, prints_end - prints
    .zero   8
arguments:
    .word   L1M_LOGITS, L1M_PROBABILITIES, 0, L1M_LIKELY
prints:
    .zero   4 + 16 * 30
prints_end:
