/* SPDX-License-Identifier: Apache-2.0 */
/* Order on the bus, seen from outside: random programs run with a bus trace, which is replayed
 * on a copy of the initial memory. The result must equal the program's memory, and every beat of
 * a read must carry the content of memory, whichever moment the memory chooses: a write may take
 * effect with its data or just before its answer, a read anywhere between its request and its
 * beat. */
#include "hart/program.h"

#include "random_config.h"
#include "streams.h"

enum { IDS = 32, LINE = 64 };

struct request {
    bool open;
    uint64_t address;
    unsigned beats, at; /* beats received */
    uint8_t data[LINE];
    uint16_t strobes[4];
    unsigned bits, bytes; /* of the mask; written so far */
    uint8_t early[LINE];  /* of a read: the memory at its request */
};

/* The memory behind the bus, twice: writes take effect with their data, and with their
 * responses. */
struct replay {
    uint8_t soon[DATA_SIZE], late[DATA_SIZE];
    struct request reads[IDS], writes[IDS];
    unsigned queue[IDS], queued; /* ids of writes whose data is outstanding, in order */
    unsigned disordered;         /* answers to writes that overtook an older one */
    uint64_t ages[IDS], requests;
    unsigned element; /* bytes per mask bit */
};

static uint8_t *at(uint8_t *memory, uint64_t address)
{
    if (address < DATA_BASE || address + 16 > DATA_BASE + DATA_SIZE)
        fail_msg("the bus reaches %" PRIx64, address);
    return memory + (address - DATA_BASE);
}

static struct request *open_request(struct request *list, unsigned id, uint64_t address,
                                    unsigned beats)
{
    assert_true(id < IDS && beats >= 1 && address % LINE + 16 * beats <= LINE);
    assert_false(list[id].open);
    list[id] = (struct request){.open = true, .address = address, .beats = beats};
    return &list[id];
}

static void apply(uint8_t *memory, const struct request *r, unsigned beat)
{
    uint8_t *to = at(memory, r->address + 16 * beat);
    for (unsigned i = 0; i < 16; i++)
        if (r->strobes[beat] >> i & 1)
            to[i] = r->data[16 * beat + i];
}

/* Printed from the last byte to the first. */
static void parse_bytes(const char *text, uint8_t bytes[16])
{
    for (unsigned i = 0; i < 16; i++) {
        const char two[3] = {text[30 - 2 * i], text[31 - 2 * i], '\0'};
        bytes[i] = (uint8_t)strtoul(two, NULL, 16);
    }
}

static void read_beat(struct replay *r, unsigned id, const uint8_t bytes[16])
{
    struct request *q = &r->reads[id];
    assert_true(q->open && q->at < q->beats);
    const uint64_t address = q->address + 16 * q->at;
    assert_memory_equal(bytes, q->early + 16 * q->at, 16);
    assert_memory_equal(bytes, at(r->soon, address), 16);
    assert_memory_equal(bytes, at(r->late, address), 16);
    q->at++;
}

static void write_beat(struct replay *r, const uint8_t bytes[16], unsigned strobes, bool last)
{
    assert_true(r->queued);
    struct request *q = &r->writes[r->queue[0]];
    memcpy(q->data + 16 * q->at, bytes, 16);
    q->strobes[q->at] = (uint16_t)strobes;
    q->bytes += (unsigned)__builtin_popcount(strobes);
    apply(r->soon, q, q->at);
    assert_int_equal(last, ++q->at == q->beats);
    if (last) /* only the first and the last bit of the mask may be for a part of an element */
        assert_true(q->bytes <= q->bits * r->element &&
                    (q->bits < 2 || q->bytes >= (q->bits - 2) * r->element + 2));
    if (last)
        memmove(r->queue, r->queue + 1, --r->queued * sizeof r->queue[0]);
}

static void write_done(struct replay *r, unsigned id)
{
    struct request *q = &r->writes[id];
    assert_true(q->open && q->at == q->beats);
    for (unsigned i = 0; i < q->beats; i++)
        apply(r->late, q, i);
    for (unsigned i = 0; i < IDS; i++)
        if (r->writes[i].open && r->ages[i] < r->ages[id]) {
            r->disordered++;
            break;
        }
    q->open = false;
}

static void replay_line(struct replay *r, const char *line)
{
    char verb[8], data[40];
    unsigned id, beats, strobes, mask[2];
    uint64_t cycle, address;
    uint8_t bytes[16];
    if (sscanf(line, "%" SCNu64 " %7s", &cycle, verb) != 2)
        fail_msg("%s", line);
    const bool last = strstr(line, " last") != NULL;
    if (sscanf(line, "%*u read id %u addr %" SCNx64 " beats %u", &id, &address, &beats) == 3) {
        struct request *q = open_request(r->reads, id, address, beats);
        memcpy(q->early, at(r->soon, address), 16);
        at(r->soon, address + 16 * (beats - 1));
        memcpy(q->early, at(r->soon, address), 16 * beats);
    } else if (sscanf(line, "%*u rdata id %u %39s", &id, data) == 2) {
        parse_bytes(data, bytes);
        read_beat(r, id, bytes);
        assert_int_equal(last, r->reads[id].at == r->reads[id].beats);
        r->reads[id].open &= !last;
    } else if (sscanf(line, "%*u write id %u addr %" SCNx64 " beats %u mask %u..%u", &id, &address,
                      &beats, &mask[0], &mask[1]) == 5) {
        open_request(r->writes, id, address, beats)->bits = mask[1] - mask[0] + 1;
        r->queue[r->queued++] = id;
        r->ages[id] = r->requests++;
    } else if (sscanf(line, "%*u wdata %39s busMask %*x strobes %x", data, &strobes) == 2) {
        parse_bytes(data, bytes);
        write_beat(r, bytes, strobes, last);
    } else if (sscanf(line, "%*u wdone id %u", &id) == 1) {
        write_done(r, id);
    } else {
        fail_msg("%s", line);
    }
}

/* Run `text`; replaying its bus trace must give the program's memory. Returns the number of
 * answers to writes that came out of order. */
static unsigned run_and_replay(const char *isa, const struct sam_mxu_config *config,
                               const char *text, const uint8_t *memory)
{
    static struct replay r;
    static uint8_t left[DATA_SIZE];
    SCOPED(sam_buffer) trace = {0};
    struct sam_hart_options options = {.cycles = config, .bus = test_sink(&trace)};
    SCOPED(program) p = program_new(isa, &options, text);
    program_write(&p, DATA_BASE, memory, DATA_SIZE);
    program_expect(&p, SAM_HART_EBREAK);
    sam_hart_cycles(p.hart); /* until nothing is in flight */
    program_read(&p, DATA_BASE, left, DATA_SIZE);
    memset(&r, 0, sizeof r);
    r.element = config->elewidth / 8;
    memcpy(r.soon, memory, DATA_SIZE);
    memcpy(r.late, memory, DATA_SIZE);
    char *save = NULL;
    char *lines = (char *)sam_buffer_text(&trace);
    for (char *line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        replay_line(&r, line);
    if (memcmp(r.soon, left, DATA_SIZE) != 0 || memcmp(r.late, left, DATA_SIZE) != 0)
        fail_msg("the bus leaves other bytes than the program:\n%s", text);
    return r.disordered;
}

/* ----------------------------------------------------------------------- random programs */

static uint64_t seed;

static unsigned below(unsigned bound)
{
    return (unsigned)test_below(&seed, bound);
}

static void fill(uint8_t *memory)
{
    for (unsigned i = 0; i < DATA_SIZE; i++)
        memory[i] = (uint8_t)test_random(&seed);
}

static struct sam_mxu_config random_config(unsigned window)
{
    struct sam_mxu_config c = random_mxu_config(&seed, 60);
    c.ooo_window = window;
    succeeds(sam_mxu_config_check, &c);
    return c;
}

/* A base in the middle of DATA, close to others; a stride that reaches either way. */
static void put_address(struct sam_buffer *text)
{
    const int strides[] = {-72, -64, -8, 0, 3, 8, 16, 24, 40, 64, 80, 128};
    sam_buffer_printf(text, "li a0, %u\nli a1, %d\n", (unsigned)DATA_BASE + 0x1800 + below(160),
                      strides[below(SAM_COUNT(strides))]);
}

static void put_instruction(struct sam_buffer *text, unsigned rows)
{
    const unsigned md = below(8), count = 1u << below(2);
    switch (below(9)) {
    case 0:
        sam_buffer_printf(text, "li t0, %u\nmcfg zero, t0\n",
                          (1 + below(4 * rows)) << 16 | (1 + below(rows)) << 8 | (1 + below(rows)));
        break;
    case 1:
    case 2:
        put_address(text);
        sam_buffer_printf(text, "mldb m%u, a1, (a0)\n", md);
        break;
    case 3:
    case 4:
    case 5:
        put_address(text);
        sam_buffer_printf(text, "mstb m%u, a1, (a0)\n", md);
        break;
    case 6:
        sam_buffer_printf(text, "li a0, %u\n%s%umb m%u, (a0)\n",
                          (unsigned)DATA_BASE + 0x1800 + below(64), below(2) ? "mld" : "mst", count,
                          md / count * count);
        break;
    case 7:
        sam_buffer_printf(text, "mmaqa.b m%u, m%u, m%u\n", md, (md + 1) % 8, (md + 3) % 8);
        break;
    default: sam_buffer_printf(text, "mmov.mm m%u, m%u\n", md, below(8)); break;
    }
    if (below(6) == 0)
        sam_buffer_printf(text, "csrwi 0x801, %u\n", below(rows)); /* xmrstart */
    for (unsigned i = below(3); i > 0; i--)
        sam_buffer_puts(text, "addi t2, t2, 1\n");
}

static unsigned random_programs(unsigned rounds, unsigned window)
{
    static uint8_t memory[DATA_SIZE];
    unsigned disordered = 0;
    for (unsigned round = 0; round < rounds; round++) {
        const struct sam_mxu_config config = random_config(window);
        const unsigned rows = config.mlen / 32;
        SCOPED(sam_buffer) text = {0};
        fill(memory);
        sam_buffer_printf(&text, "li t0, %u\nmcfg zero, t0\n", 4 * rows << 16 | rows << 8 | rows);
        for (unsigned i = 0; i < 8; i++)
            sam_buffer_printf(&text, "li a0, %u\nmld1mb m%u, (a0)\n",
                              (unsigned)DATA_BASE + 0x1000 * (i % 3) + 0x30 * i, i);
        for (unsigned i = 0; i < 40; i++)
            put_instruction(&text, rows);
        sam_buffer_puts(&text, "ebreak\n");
        disordered += run_and_replay(below(2) ? "rv32im_zicsr_xmatrix" : "rv64im_zicsr_xmatrix",
                                     &config, sam_buffer_text(&text), memory);
    }
    return disordered;
}

TEST(the_bus_leaves_what_the_program_leaves)
{
    seed = test_seed();
    assert_int_equal(random_programs(150, 1), 0); /* a memory that answers in order */
}

TEST(writes_answered_out_of_order)
{
    seed = test_seed();
    assert_true(random_programs(150, 8) > 0);
}

/* A store whose sixth row faults, repeated by the handler with a valid base: earlier rows are on
 * the bus once, at their first addresses. */
TEST(rows_before_a_fault)
{
    static uint8_t memory[DATA_SIZE];
    struct sam_mxu_config config;
    seed = test_seed();
    fill(memory);
    sam_mxu_config_init(&config, 512);
    const char *const verbs[] = {"mstb m1, a1, (a0)", "mldb m1, a1, (a0)"};
    for (unsigned i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "la t0, again\ncsrw mtvec, t0\n"
                 "li t0, 0x40100c\nmcfg zero, t0\nli a0, 0x10000\nmld1mb m1, (a0)\n"
                 "li a0, %u\nli a1, 64\n%s\nli a0, 0x12000\nmst1mb m1, (a0)\nebreak\n"
                 ".balign 4\nagain: li a0, 0x11010\nmret\n",
                 (unsigned)(DATA_BASE + DATA_SIZE) - 5 * 64, verbs[i]);
        run_and_replay("rv64im_zicsr_xmatrix", &config, text, memory);
    }
}
