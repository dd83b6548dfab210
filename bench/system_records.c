/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the weight unit against the codec alone: a tensor of 8 MiB is decoded from packed
 * weights in memory, by a program that submits a record and waits for it, and by
 * sam_packed_read, plus sam_dtype_widen if the record widens. The two alternate; a row is the
 * ratio of their times. */
#include "system_records.h"

#include <samite/device/layout.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samite/samite.h"

enum { BYTES = 8 << 20, RECORD = 64 };

static const char program[] = "_start:\n"
                              "    sw      a0, 0(a1)\n"  /* SUBMIT */
                              "    lw      a0, 16(a1)\n" /* WAIT */
                              "    li      a7, 93\n"
                              "    ecall\n";

enum values { NORMAL, NOISE, ZERO };

struct kind {
    const char *name;
    enum sam_dtype type, to;
    enum values values;
};

static const struct kind kinds[] = {
    {"bf16", SAM_BF16, SAM_BF16, NORMAL},       {"f16", SAM_F16, SAM_F16, NORMAL},
    {"f32", SAM_F32, SAM_F32, NORMAL},          {"e4m3", SAM_E4M3, SAM_E4M3, NORMAL},
    {"e5m2", SAM_E5M2, SAM_E5M2, NORMAL},       {"bf16 noise", SAM_BF16, SAM_BF16, NOISE},
    {"bf16 zeros", SAM_BF16, SAM_BF16, ZERO},   {"bf16 as f32", SAM_BF16, SAM_F32, NORMAL},
    {"e4m3 as f16", SAM_E4M3, SAM_F16, NORMAL},
};

struct records {
    const struct kind *kind;
    size_t elements, size; /* bytes given out */
    struct sam_system *system;
    struct sam_image *image;
    struct sam_packed *packed;
    void *file, *smw, *out, *narrow;
    size_t smw_size;
    uint64_t record, start;
};

static void check(enum sam_status status, const struct sam_error *error)
{
    if (status != SAM_OK)
        bench_fail("weight records", error);
}

static uint32_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

/* The bits of a value: normally distributed, roughly, or arbitrary. */
static uint64_t value(const struct kind *kind, uint64_t *state)
{
    double sum = -6;
    if (kind->values != NORMAL)
        return kind->values == NOISE ? draw(state) : 0;
    for (int k = 0; k < 12; k++)
        sum += draw(state) * 0x1p-32;
    return sam_dtype_round(kind->type, sum * (kind->type == SAM_E4M3 ? 1 : 0.05));
}

/* Weights of a kind, packed. */
static void make_weights(struct records *r)
{
    const enum sam_dtype type = r->kind->type;
    char header[160];
    struct sam_weights weights = {0};
    struct sam_error error = {0};
    size_t need;
    const size_t size = sam_dtype_size(type);
    const int length = snprintf(
        header, sizeof header, "{\"w\":{\"dtype\":\"%s\",\"shape\":[%zu],\"data_offsets\":[0,%d]}}",
        sam_dtype_safetensors(type), BYTES / size, BYTES);
    uint64_t state = 1;
    r->elements = BYTES / size;
    r->size = r->elements * sam_dtype_size(r->kind->to);
    r->file = calloc(1, 8 + (size_t)length + BYTES);
    r->out = malloc(r->size);
    r->narrow = malloc(BYTES);
    uint8_t *at = r->file;
    if (!at || !r->out || !r->narrow) {
        bench_fail("weight records", &(struct sam_error){.text = "out of memory"});
        return;
    }
    at[0] = (uint8_t)length;
    memcpy(at + 8, header, (size_t)length);
    at += 8 + length;
    for (size_t i = 0; i < r->elements; i++) {
        const uint64_t bits = value(r->kind, &state);
        memcpy(at + i * size, &bits, size);
    }
    check(sam_weights_parse(SAM_WEIGHTS_SAFETENSORS, r->file, 8 + (size_t)length + BYTES,
                            8 + (size_t)length + BYTES, "w", &weights, &need, &error),
          &error);
    r->smw = malloc(sam_pack_bound(&weights));
    check(sam_pack(&weights, r->file, NULL, r->smw, sam_pack_bound(&weights), &r->smw_size, &error),
          &error);
    sam_weights_free(&weights);
    check(sam_packed_open(r->smw, r->smw_size, NULL, &r->packed, &error), &error);
}

/* A system with the program, the weights, and a record that decodes all of them. */
static void make_system(struct records *r)
{
    const struct sam_hart_options hart = {.size = sizeof hart};
    const struct sam_system_options options = {.size = sizeof options, .hart = &hart};
    struct sam_asm_options assembly = {.size = sizeof assembly, .base = SAM_SYSTEM_CODE_BASE};
    struct sam_weight_entry entry;
    struct sam_error error = {0};
    uint64_t destination;
    check(sam_isa_parse("rv64im", &assembly.isa, &error), &error);
    char *messages = NULL;
    check(sam_assemble(&assembly, "records", program, sizeof program - 1, &r->image, &messages,
                       &error),
          &error);
    sam_text_free(messages);
    check(sam_system_new(&options, &r->system, &error), &error);
    check(sam_system_load(r->system, r->image, &error), &error);
    check(sam_system_load_weights(r->system, r->smw, r->smw_size, 0, &error), &error);
    const uint64_t directory = sam_hart_x(sam_system_hart(r->system), 11);
    check(sam_system_read(r->system, directory + 4, &entry, sizeof entry, &error), &error);
    check(sam_system_alloc(r->system, r->size, &destination, &error), &error);
    check(sam_system_alloc(r->system, RECORD, &r->record, &error), &error);
    const struct sam_weight_record record = {.operation = SAM_WEIGHT_DECODE,
                                             .packed_type = entry.type,
                                             .output_type = r->kind->to,
                                             .source = entry.chunks,
                                             .source_bytes = entry.bytes[0],
                                             .destination = (uint32_t)destination,
                                             .destination_bytes = (uint32_t)r->size,
                                             .first_low = entry.first[0],
                                             .elements_low = entry.elements[0],
                                             .piece = entry.piece,
                                             .layout = entry.layout,
                                             .total_low = entry.total[0]};
    check(sam_system_write(r->system, r->record, &record, sizeof record, &error), &error);
    r->start = SAM_SYSTEM_CODE_BASE;
}

static double run_record(struct records *r)
{
    struct sam_hart *hart = sam_system_hart(r->system);
    struct sam_system_result result;
    struct sam_error error = {0};
    sam_hart_set_pc(hart, r->start);
    sam_hart_set_x(hart, 10, r->record);
    sam_hart_set_x(hart, 11, SAM_SYSTEM_WEIGHT_SUBMIT);
    const double start = bench_processor();
    check(sam_system_run(r->system, &result, &error), &error);
    const double seconds = bench_processor() - start;
    if (result.hart.exit_code != 0)
        bench_fail("weight records", &(struct sam_error){.text = "the record has failed"});
    return seconds;
}

static double run_codec(const struct records *r)
{
    struct sam_error error = {0};
    const double start = bench_processor();
    const bool widens = r->kind->to != r->kind->type;
    check(sam_packed_read(r->packed, 0, 0, BYTES, widens ? r->narrow : r->out, &error), &error);
    if (widens)
        check(sam_dtype_widen(r->kind->type, r->kind->to, r->narrow, r->elements, r->out, &error),
              &error);
    return bench_processor() - start;
}

static double once(void *context)
{
    struct records *r = context;
    double records = 0, codec = 0;
    for (int i = 0; i < 8; i++) {
        records += run_record(r);
        codec += run_codec(r);
    }
    return codec / records;
}

void bench_records(struct bench *bench)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct records r = {.kind = &kinds[i]};
        char name[96];
        snprintf(name, sizeof name, "weight records, %s, to the codec alone", kinds[i].name);
        if (!bench_wants(bench, name))
            continue;
        make_weights(&r);
        make_system(&r);
        once(&r); /* warms up */
        bench_value(bench, name, "of its rate", bench_median(bench, once, &r), 1);
        sam_system_free(r.system);
        sam_image_free(r.image);
        sam_packed_close(r.packed);
        free(r.file), free(r.smw), free(r.out), free(r.narrow);
    }
}
