/* SPDX-License-Identifier: Apache-2.0 */
/* Compress, transport, restore: elements of each type in L1M are counted and encoded by the weight
 * unit, TensorLoad sends the packed bytes to a far memory, from which they are decoded into L0M;
 * the result must equal the input. The raw bytes go the same way for comparison. Prints one line
 * per type with the cycles of each step (instructions, unless the run has --cycles); the exit code
 * is 1 if any element differs.
 *
 * The far memory is DRAM from 0x40800000 on, in the heap. To put it behind a link, and keep the L2
 * from hiding it: --config mem.link_base=0x40800000,mem.link_size=0x100000,mem.l2_size=4096 */
#include <samite/device/tensorload.h>
#include <samite/device/weights.h>

/* The contents of each memory: raw elements, chunks, and counters or restored elements. */
enum { RAW = 0, CHUNKS = 0x10000, RESULT = 0x30000, CHUNKS_ROOM = 0x20000, RAW_ROOM = 0x10000 };

/* The sign in the top bit; an exponent whose values become half as frequent from `top` down, as
 * in trained weights; noise. */
struct type {
    const char *name;
    uint32_t number, bits, mantissa, top;
    uint32_t shift; /* of the symbols of plane 0 in an element */
    uint32_t mask;
};

static const struct type types[] = {
    {"bf16", SAM_TYPE_BF16, 16, 7, 122, 7, 0xff}, {"fp16", SAM_TYPE_F16, 16, 10, 11, 10, 0x1f},
    {"e4m3", SAM_TYPE_E4M3, 8, 3, 12, 3, 0xf},    {"e5m2", SAM_TYPE_E5M2, 8, 2, 24, 2, 0x1f},
    {"e2m1", SAM_TYPE_E2M1, 4, 1, 3, 0, 0xff},
};
enum { TYPES = sizeof types / sizeof types[0], ELEMENTS = 1 << 15 };

static uint8_t *sender(uint32_t offset)
{
    return (uint8_t *)(uintptr_t)(SAM_SYSTEM_L1M + offset);
}

static uint8_t *far_memory(uint32_t offset)
{
    return (uint8_t *)(uintptr_t)(SAM_SYSTEM_CODE + 0x800000 + offset);
}

static uint8_t *receiver(uint32_t offset)
{
    return (uint8_t *)(uintptr_t)(SAM_SYSTEM_L0M + offset);
}

static uint32_t next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static uint32_t element(const struct type *type, uint32_t *state)
{
    const uint32_t random = next(state), mantissa = (1u << type->mantissa) - 1;
    uint32_t exponent = type->top;
    for (uint32_t coins = next(state); coins & 1 && exponent; coins >>= 1)
        exponent--;
    return random >> 31 << (type->bits - 1) | exponent << type->mantissa | (random & mantissa);
}

/* Elements one word at a time, and their bytes. */
static uint32_t fill(const struct type *type, uint32_t count)
{
    uint32_t *words = (uint32_t *)sender(RAW), state = 1 + type->number;
    const uint32_t per_word = 32 / type->bits, size = count / per_word;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t word = 0;
        for (uint32_t k = 0; k < per_word; k++)
            word |= element(type, &state) << k * type->bits;
        words[i] = word;
    }
    return 4 * size;
}

/* Copy whole KiB; returns the cycles until the last byte has arrived. */
static uint64_t transport(const uint8_t *from, uint8_t *to, uint32_t size)
{
    const uint64_t start = sam_system_cycles();
    const uint8_t *end = from + size;
    sam_csr_write(SAM_DEVICE_CSR_tshape, 0x10101);
    sam_csr_write(SAM_DEVICE_CSR_tload_width, 1024);
    sam_csr_write(SAM_DEVICE_CSR_tstore_width, 1024);
    for (; from < end; from += 4096, to += 4096) {
        sam_tl_load(1, 0, from);
        sam_tl_load(2, 1, from);
        sam_tl_load(3, 2, from);
        sam_tl_load(4, 3, from);
        sam_tl_store(1, 0, to);
        sam_tl_store(2, 1, to);
        sam_tl_store(3, 2, to);
        sam_tl_store(4, 3, to);
    }
    *(volatile const uint8_t *)(to - 1); /* the hart waits for the last store */
    return sam_system_cycles() - start;
}

/* Run a record; returns its cycles. */
static uint64_t run(struct sam_weight_record *record, struct sam_weight_result *result)
{
    const uint64_t start = sam_system_cycles();
    record->result = sam_address(result);
    sam_weight_submit(record);
    sam_weight_wait();
    return sam_system_cycles() - start;
}

/* The counters of the weight unit against symbols counted here. */
static int are_counted(const struct type *type, uint32_t size)
{
    static uint32_t counts[256];
    const uint32_t *counters = (const uint32_t *)sender(RESULT);
    const uint8_t *raw = sender(RAW);
    const uint32_t bytes = type->bits < 8 ? 1 : type->bits / 8; /* of a symbol's element */
    for (uint32_t i = 0; i < 256; i++)
        counts[i] = 0;
    for (uint32_t i = 0; i < size; i += bytes) {
        const uint32_t bits = bytes == 2 ? raw[i] | (uint32_t)raw[i + 1] << 8 : raw[i];
        counts[bits >> type->shift & type->mask]++;
    }
    for (uint32_t i = 0; i < 256; i++)
        if (counts[i] != counters[i])
            return 0;
    return 1;
}

static int are_equal(const uint8_t *a, const uint8_t *b, uint32_t size)
{
    const uint32_t *x = (const uint32_t *)a, *y = (const uint32_t *)b;
    for (uint32_t i = 0; i < size / 4; i++)
        if (x[i] != y[i])
            return 0;
    return 1;
}

/* A rectangle of the elements as a matrix of WIDTH columns, decoded by one record. */
static int is_rectangle(const struct type *type, const struct sam_weight_entry *tensor)
{
    enum { WIDTH = 512, ROWS = 24, COLUMN = 128, COLUMNS = 256, FIRST = 3 * WIDTH + COLUMN };
    static struct sam_weight_record record;
    static struct sam_weight_result result;
    const uint32_t row = COLUMNS * type->bits / 8, size = ROWS * row;
    sam_weight_make_rows(&record, tensor, FIRST, COLUMNS, ROWS, WIDTH, type->number,
                         receiver(RESULT), size);
    run(&record, &result);
    for (uint32_t i = 0; i < ROWS; i++)
        if (!are_equal((const uint8_t *)sender(RAW) + (FIRST + i * WIDTH) * type->bits / 8,
                       (const uint8_t *)receiver(RESULT) + i * row, row))
            return 0;
    return result.status == SAM_WEIGHT_IS_GOOD && result.bytes == size;
}

static const char *try(const struct type *type, uint32_t count)
{
    static struct sam_weight_record record;
    static struct sam_weight_result result;
    static struct sam_weight_entry tensor;
    const uint32_t size = fill(type, count);

    sam_weight_make(&record, SAM_WEIGHT_COUNT, type->number, sender(RAW), size, count,
                    sender(RESULT), 1024);
    const uint64_t counting = run(&record, &result);
    if (result.status != SAM_WEIGHT_IS_GOOD || !are_counted(type, size))
        return "wrong counts";

    sam_weight_make(&record, SAM_WEIGHT_ENCODE, type->number, sender(RAW), size, count,
                    sender(CHUNKS), CHUNKS_ROOM);
    const uint64_t encoding = run(&record, &result);
    const uint32_t packed = result.bytes;
    if (result.status != SAM_WEIGHT_IS_GOOD)
        return "not encoded";
    const uint64_t sending = transport(sender(CHUNKS), far_memory(CHUNKS), packed);

    sam_weight_describe(&tensor, &record, far_memory(CHUNKS), packed);
    sam_weight_make_decode(&record, &tensor, 0, count, type->number, receiver(RESULT), RAW_ROOM);
    const uint64_t decoding = run(&record, &result);
    if (result.status != SAM_WEIGHT_IS_GOOD || result.bytes != size)
        return "not decoded";
    const uint64_t raw_sending = transport(sender(RAW), far_memory(RAW), size);
    const uint64_t raw_receiving = transport(far_memory(RAW), receiver(RAW), size);
    if (!are_equal(sender(RAW), receiver(RAW), size) ||
        !are_equal(sender(RAW), receiver(RESULT), size))
        return "not what it was";
    if (!is_rectangle(type, &tensor))
        return "wrong rows";

    sam_put_text(type->name);
    sam_put_number(size, 9);
    sam_put_number(packed, 9);
    sam_put_number((packed * 100 + size / 2) / size, 5); /* rounded */
    sam_put_text(" %");
    sam_put_number(counting, 10);
    sam_put_number(encoding, 10);
    sam_put_number(sending, 10);
    sam_put_number(decoding, 10);
    sam_put_text(" |");
    sam_put_number(raw_sending, 10);
    sam_put_number(raw_receiving, 10);
    sam_put_char('\n');
    return 0;
}

int main(void)
{
    sam_put_text("type      raw   packed    size     count    encode      send    decode |"
                 "  send raw  load raw\n");
    for (uint32_t i = 0; i < TYPES; i++) {
        const char *wrong = try(&types[i], ELEMENTS);
        if (wrong) {
            sam_put_text(types[i].name);
            sam_put_text(": ");
            sam_put_text(wrong);
            sam_put_char('\n');
            return 1;
        }
    }
    return 0;
}
