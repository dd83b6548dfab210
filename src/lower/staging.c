/* SPDX-License-Identifier: Apache-2.0 */
/* The routines that stage packed weights. Large tensors share slots, which are filled in turn: one
 * has the windows in use, into the others the weight unit decodes the next ones. A window with more
 * elements takes the room of all; for one that needs more yet the whole tensor goes to DRAM. Rows
 * that are decoded one by one lie PITCH elements apart. */
#include "lower/staging.h"

#include <inttypes.h>
#include <stddef.h>

#include "lower/hart.h"

/* 64-bit words of a group of slots, before the slots: the one used last, how many, the one filled
 * last; */
enum { LAST, COUNT, FILLED, GROUP };
/* and of a slot. */
enum {
    OWNER, /* descriptor of the tensor; 0: none */
    FIRST,
    END,    /* range of elements */
    FLIGHT, /* 1: it has not been used yet, and may not have been decoded, */
    TICKET, /* records done when it has been */
    ROOM,
    BYTES,
    JOINED, /* 1: it takes the room of all slots */
    NEXT,   /* the slot to be filled after it */
    PITCH,  /* 0: all of the range; or else WIDTH elements of each of ROWS rows, which are STRIDE */
    WIDTH,  /* apart in the tensor */
    ROWS,
    STRIDE,
    SLOT
};

enum { RECORDS = 32 };

void sam_lower_staging_slots(struct lower *l, const char *label,
                             const struct lower_staging_slot *slots, size_t count)
{
    sam_buffer_printf(&l->data, "%s:\n    .dword  0, %zu, %s + %zu\n", label, count, label,
                      8 * (GROUP + (count - 1) * SLOT));
    for (size_t i = 0; i < count; i++) {
        sam_buffer_printf(&l->data, "    .dword  0, 0, 0, 0, 0, ");
        if (slots[i].name[0])
            sam_buffer_printf(&l->data, "%s", slots[i].name);
        else
            sam_buffer_printf(&l->data, "0x%" PRIx64, slots[i].room);
        sam_buffer_printf(&l->data, ", %" PRIu64 ", 0, %s + %zu, 0, 0, 0, 0\n", slots[i].bytes,
                          label, 8 * (GROUP + (i + 1) % count * SLOT));
    }
}

void sam_lower_staging_claim(struct lower *l, const char *slots, const char *descriptor,
                             uint64_t elements)
{
    sam_lower_code(&l->state->setup,
                   "lla t0, %s + %d; lla t1, %s; sd t1, %d(t0); li t1, %" PRIu64 "; sd t1, %d(t0); "
                   "li t1, 1; sd t1, %d(t0); sd t0, %d(t0); li t1, 0x%08x; lw t1, 0(t1); "
                   "sd t1, %d(t0)",
                   slots, 8 * GROUP, descriptor, 8 * OWNER, elements, 8 * END, 8 * FLIGHT,
                   8 * (FILLED - GROUP), (unsigned)SAM_SYSTEM_WEIGHT_SUBMITTED, 8 * TICKET);
}

/* t0: the slots for the window, the shared ones for rows. To label 5 with t2 = the slot that has
 * it, or on with t2 = the one to fill, not the one used last. */
static void find_slot(struct lower *l)
{
    sam_lower_hart(l,
                   "ld t0, %d(a0); bnez a6, 0f; li s2, 0; j 1f; 0: lla t0, packed_shared; "
                   "1: ld t1, %d(t0); addi t2, t0, %d; "
                   "0: ld t3, %d(t2); bne t3, a0, 1f; ld t3, %d(t2); bltu a1, t3, 1f; "
                   "ld t4, %d(t2); bltu t4, a2, 1f; ld t4, %d(t2); bne t4, s2, 1f; beqz s2, 5f; "
                   "ld t5, %d(t2); bne t5, a4, 1f; ld t5, %d(t2); bltu t5, a6, 1f; "
                   "sub t3, a1, t3; add t3, t3, a7; ld t4, %d(t2); bgeu t4, t3, 5f; "
                   "1: addi t2, t2, %d; addi t1, t1, -1; bnez t1, 0b; "
                   "ld t2, %d(t0); ld t3, %d(t0); ld t2, %d(t2); bne t3, t2, 0f; ld t2, %d(t2); 0:",
                   8 * STAGING_SLOTS, 8 * COUNT, 8 * GROUP, 8 * OWNER, 8 * FIRST, 8 * END,
                   8 * PITCH, 8 * STRIDE, 8 * ROWS, 8 * WIDTH, 8 * SLOT, 8 * FILLED, 8 * LAST,
                   8 * NEXT, 8 * NEXT);
}

/* Fill slot t2 of the slots t0 and return to tp. s3: non-zero for a hint, dropped when the slot has
 * no room. t3: first element; t5: elements, or those of each row. */
static void choose_elements(struct lower *l)
{
    sam_lower_hart(
        l,
        ".Lfill: ld t4, %d(t2); ld t5, %d(a0); ld t6, %d(a0); srl t4, t4, t6; li t3, 0; "
        "li s5, 0; bnez a6, 5f; bgeu t4, t5, 4f; mv t3, a1; sub t6, a2, a1; bgeu t6, a3, 0f; "
        "mv t6, a3; 0: bgeu t4, t6, 2f; sub t6, a2, a1; bgeu t4, t6, 3f; "
        "beqz s3, 0f; jr tp; " /* too large for one slot */
        "0: ld t1, %d(t0); addi s5, t1, -1; beqz s5, 1f; li s5, 1; "
        "addi t2, t0, %d; mul t4, t4, t1; bgeu t4, t6, 3f; "
        "1: ld t0, %d(a0); sd t0, %d(a0); addi t2, t0, %d; j .Lfill; " /* from now on in DRAM */
        "5: mul t6, s2, a6; bgeu t4, t6, 0f; li s5, 1; addi t2, t0, %d; beqz s3, 0f; jr tp; "
        "0: mv t3, a1; remu t6, a1, a4; sub t6, a4, t6; bgeu t6, a7, 0f; mv t6, a7; "
        "0: bgeu s2, t6, 0f; mv t6, s2; 0: addi t1, a6, -1; mul t1, t1, a4; add t1, t1, a1; "
        "sub t5, t5, t1; bgeu t6, t5, 4f; mv t5, t6; j 4f; "
        "2: divu t4, t4, t6; mul t4, t4, t6; " /* whole windows */
        "3: sub t5, t5, t3; bgeu t4, t5, 0f; mv t5, t4; "
        "0: beqz s3, 4f; beqz a5, 4f; sub t6, a5, t3; bgeu t6, t5, 4f; mv t5, t6; "
        "4:",
        8 * BYTES, 8 * STAGING_ELEMENTS, 8 * STAGING_SHIFT, 8 * COUNT, 8 * GROUP, 8 * STAGING_WHOLE,
        8 * STAGING_SLOTS, 8 * GROUP, 8 * GROUP);
}

/* Record in slot t2 of the slots t0 the elements that it will hold. */
static void claim_slot(struct lower *l)
{
    sam_lower_hart(l,
                   "ld t6, %d(t0); beqz t6, 0f; "
                   "sd zero, %d(t0); sd zero, %d(t0); " /* the slot of all loses its window */
                   "0: sd t2, %d(t0); sd a0, %d(t2); sd s5, %d(t2); beqz s5, 0f; ld t6, %d(t2); "
                   "1: sd zero, %d(t6); sd zero, %d(t6); ld t6, %d(t6); bne t6, t2, 1b; "
                   "0: sd t3, %d(t2); add t6, t3, t5; beqz a6, 0f; add t6, t1, t5; "
                   "0: sd t6, %d(t2); li t6, 1; sd t6, %d(t2); sd s2, %d(t2); sd t5, %d(t2); "
                   "sd a6, %d(t2); sd a4, %d(t2)",
                   8 * GROUP + 8 * JOINED, 8 * GROUP + 8 * OWNER, 8 * GROUP + 8 * JOINED,
                   8 * FILLED, 8 * OWNER, 8 * JOINED, 8 * NEXT, 8 * OWNER, 8 * FLIGHT, 8 * NEXT,
                   8 * FIRST, 8 * END, 8 * FLIGHT, 8 * PITCH, 8 * WIDTH, 8 * ROWS, 8 * STRIDE);
}

/* Submit the record that fills slot t2, from a ring of RECORDS: one in flight must not change. */
static void submit_record(struct lower *l)
{
    static const struct {
        size_t to, from;
    } words[] = {
        {offsetof(struct sam_weight_record, packed_type), offsetof(struct sam_weight_entry, type)},
        {offsetof(struct sam_weight_record, source), offsetof(struct sam_weight_entry, chunks)},
        {offsetof(struct sam_weight_record, source_bytes),
         offsetof(struct sam_weight_entry, bytes)},
        {offsetof(struct sam_weight_record, piece), offsetof(struct sam_weight_entry, piece)},
        {offsetof(struct sam_weight_record, layout), offsetof(struct sam_weight_entry, layout)},
        {offsetof(struct sam_weight_record, total_low), offsetof(struct sam_weight_entry, total)},
        {offsetof(struct sam_weight_record, total_high),
         offsetof(struct sam_weight_entry, total) + 4},
    };
    sam_lower_hart(
        l,
        "ld t1, %d(a0); lw t6, %zu(t1); addi t6, t6, -%d; bnez t6, 0f; " /* t3 counts bytes */
        "lwu t6, %zu(t1); mul t3, t3, t6; srli t3, t3, 3; "
        "0: lwu t0, %zu(t1); add t3, t3, t0; lwu t0, %zu(t1); slli t0, t0, 32; add t3, t3, t0; "
        "li t0, 0x%08x; lw t6, 0x%x(t0); addi s5, t6, -%d; "
        "0: lw t4, 0x%x(t0); subw t4, t4, s5; bltz t4, 0b; " /* its last use has ended */
        "andi t6, t6, %d; slli t6, t6, 6; lla t4, packed_records; add t4, t4, t6",
        8 * STAGING_ENTRY, offsetof(struct sam_weight_entry, layout), SAM_WEIGHT_LAYOUT_SHARED,
        offsetof(struct sam_weight_entry, bits), offsetof(struct sam_weight_entry, first),
        offsetof(struct sam_weight_entry, first) + 4, (unsigned)SAM_SYSTEM_WEIGHT_SUBMIT,
        (unsigned)(SAM_SYSTEM_WEIGHT_SUBMITTED - SAM_SYSTEM_WEIGHT_SUBMIT), RECORDS - 1,
        (unsigned)(SAM_SYSTEM_WEIGHT_DONE - SAM_SYSTEM_WEIGHT_SUBMIT), RECORDS - 1);
    for (size_t i = 0; i < SAM_COUNT(words); i++)
        sam_lower_hart(l, "lw t6, %zu(t1); sw t6, %zu(t4)", words[i].from, words[i].to);
    sam_lower_hart(
        l,
        "ld t6, %d(a0); sw t6, %zu(t4); sw t5, %zu(t4); ld t1, %d(a0); "
        "li s5, %d; li t6, 0; beqz s2, 0f; slli s5, a6, 8; addi s5, s5, %d; mul t5, s2, a6; mv t6, "
        "a4; "
        "0: sw s5, %zu(t4); sw t6, %zu(t4); sll t5, t5, t1; sw t5, %zu(t4); "
        "ld t6, %d(t2); sw t6, %zu(t4); sw t3, %zu(t4); srli t3, t3, 32; sw t3, %zu(t4); "
        "sw t4, 0(t0); lw t0, 0x%x(t0); sd t0, %d(t2); jr tp",
        8 * STAGING_TYPE, offsetof(struct sam_weight_record, output_type),
        offsetof(struct sam_weight_record, elements_low), 8 * STAGING_SHIFT, SAM_WEIGHT_DECODE,
        SAM_WEIGHT_ROWS, offsetof(struct sam_weight_record, operation),
        offsetof(struct sam_weight_record, elements_high),
        offsetof(struct sam_weight_record, destination_bytes), 8 * ROOM,
        offsetof(struct sam_weight_record, destination),
        offsetof(struct sam_weight_record, first_low),
        offsetof(struct sam_weight_record, first_high),
        (unsigned)(SAM_SYSTEM_WEIGHT_SUBMITTED - SAM_SYSTEM_WEIGHT_SUBMIT), 8 * TICKET);
}

/* Slot t2 has the window, soon: if it is used for the first time, ask for the next elements of the
 * loop, then wait for it. A failure may be that of another tensor, which has been asked for: fill
 * the slot again, alone. If that succeeds, a record that is not one keeps the status, so that every
 * later slot is filled again. */
static void use_slot(struct lower *l)
{
    sam_lower_hart(
        l,
        "5: ld t0, %d(a0); beqz s2, 0f; lla t0, packed_shared; 0: sd t2, %d(t0); mv s6, t2; "
        "ld t1, %d(t2); beqz t1, 7f; bnez s2, 6f; "
        "ld t1, %d(t2); bnez t1, 6f; mv s7, a1; mv s8, a2; ld t3, %d(t2); ld t2, %d(t0); "
        "ld t1, %d(t2); bne t1, a0, 1f; "
        "0: ld t3, %d(t2); " /* the elements from there on */
        "1: ld t2, %d(t2); bgeu t3, a5, 1f; ld t1, %d(t2); bnez t1, 1f; beq t2, s6, 1f; "
        "mv a1, t3; sub t1, s8, s7; add a2, t3, t1; bgeu a5, a2, 2f; mv a2, a5; "
        "2: li s3, 1; jal tp, .Lfill; ld t0, %d(a0); ld t1, %d(t0); beq t1, t2, 0b; "
        "1: mv a1, s7; mv a2, s8; mv t2, s6; "
        "6: li s7, 0; "
        "8: li t0, 0x%08x; ld t1, %d(t2); "
        "0: lw t3, 0x%x(t0); subw t3, t3, t1; bltz t3, 0b; lw t3, 0x%x(t0); beqz t3, 0f; "
        "bnez s7, 9f; li s7, 1; lw t1, 0x%x(t0); "
        "1: lw t3, 0x%x(t0); bne t3, t1, 1b; sw zero, 0x%x(t0); li s3, 0; "
        "ld t0, %d(a0); beqz s2, 2f; lla t0, packed_shared; 2: jal tp, .Lfill; j 8b; "
        "9: mv a0, t3; mv t0, t3; ret; "
        "0: sd zero, %d(t2); beqz s7, 7f; lla t3, packed_none; sw t3, 0(t0); "
        "7: ld t1, %d(t2); ld t3, %d(a0); ld t4, %d(t2); sll t4, t4, t3; sub a0, t1, t4; "
        "beqz s2, 0f; mv a4, s2; 0: li t0, 0; ret",
        8 * STAGING_SLOTS, 8 * LAST, 8 * FLIGHT, 8 * JOINED, 8 * END, 8 * FILLED, 8 * OWNER,
        8 * END, 8 * NEXT, 8 * FLIGHT, 8 * STAGING_SLOTS, 8 * FILLED,
        (unsigned)SAM_SYSTEM_WEIGHT_SUBMIT, 8 * TICKET,
        (unsigned)(SAM_SYSTEM_WEIGHT_DONE - SAM_SYSTEM_WEIGHT_SUBMIT),
        (unsigned)(SAM_SYSTEM_WEIGHT_STATUS - SAM_SYSTEM_WEIGHT_SUBMIT),
        (unsigned)(SAM_SYSTEM_WEIGHT_SUBMITTED - SAM_SYSTEM_WEIGHT_SUBMIT),
        (unsigned)(SAM_SYSTEM_WEIGHT_DONE - SAM_SYSTEM_WEIGHT_SUBMIT),
        (unsigned)(SAM_SYSTEM_WEIGHT_STATUS - SAM_SYSTEM_WEIGHT_SUBMIT), 8 * STAGING_SLOTS,
        8 * FLIGHT, 8 * ROOM, 8 * STAGING_SHIFT, 8 * FIRST);
}

void sam_lower_staging_routine(struct lower *l)
{
    sam_lower_hart(l, ".Lstage: ld t0, %d(a0); bnez t0, 0f; li t0, 1; mv a0, t0; ret; 0:",
                   8 * STAGING_ENTRY); /* 0: there are no weights */
    find_slot(l);
    sam_lower_hart(l, "li s3, 0; jal tp, .Lfill; j 5f");
    use_slot(l);
    sam_lower_hart(l, ".Lprefetch: ld t0, %d(a0); beqz t0, 5f", 8 * STAGING_ENTRY);
    find_slot(l);
    sam_lower_hart(l,
                   "ld t6, %d(t2); bnez t6, 5f; " /* none is free */
                   "addi t6, t0, %d; beq t6, t2, 0f; ld t6, %d(t6); "
                   "bnez t6, 5f; " /* the slot in use has the room of all */
                   "0: li s3, 1; jal tp, .Lfill; 5: ret",
                   8 * FLIGHT, 8 * GROUP, 8 * JOINED);
    choose_elements(l);
    claim_slot(l);
    submit_record(l);
    sam_buffer_printf(&l->data,
                      "    .balign 64\npacked_records:\n    .zero   64 * %d\n"
                      "packed_none:\n    .word   -1\n    .zero   60\n",
                      RECORDS);
}
