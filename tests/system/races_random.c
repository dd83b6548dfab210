/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of the hart that launch random kernels, count weights, wait or not, and access
 * the same memory. Their accesses are known by construction; the check must report exactly the
 * races that follow from docs/system-rulings.md, byte by byte. */
#include "system/program.h"

#define DATA  UINT32_C(0x90000000)
#define SPACE 0x200u /* contended bytes */

enum { KERNELS = 4, COUNTS = 3, OPERATIONS = 40, MOST = 4096 };

/* An access and its agent. */
struct event {
    enum sam_system_agent agent;
    enum sam_system_access kind;
    uint64_t pc, submitted_pc; /* 0: none */
    uint64_t number;           /* of the submission, from 0 */
    uint32_t address, size;
};

struct instruction {
    enum sam_system_access kind;
    uint32_t address, size;
    uint64_t pc;
};

struct kernel {
    struct instruction instructions[3];
    unsigned count;
};

struct count {
    uint32_t source, source_size, destination;
};

/* Actions of the hart, in order. */
enum operation { LAUNCH, COUNT, WAIT, DONE, ACCESS, RECORD, KINDS };
struct step {
    enum operation operation;
    unsigned which; /* kernel, count, queue or record */
    struct instruction instruction;
};

struct scene {
    uint64_t *random;
    struct kernel kernels[KERNELS];
    struct count counts[COUNTS];
    struct step steps[OPERATIONS];
    char kernel_text[8192], text[16384];
    struct event events[MOST]; /* of the queues */
    size_t event_count;
    uint64_t submitted[2], ended[2];
    struct sam_system_race expected[1024];
    size_t expected_count;
};

static uint32_t below(struct scene *s, uint32_t bound)
{
    return (uint32_t)test_below(s->random, bound);
}

static void SAM_PRINTF(3, 4) put(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    assert_true(vsnprintf(text + used, size - used, format, list) < (int)(size - used));
    va_end(list);
}

/* --------------------------------------------------------------------------------- generator */

static struct instruction random_instruction(struct scene *s, bool lanes)
{
    static const uint32_t sizes[] = {1, 4, 16};
    struct instruction i = {.kind = (enum sam_system_access)below(s, 3)};
    i.size = i.kind == SAM_SYSTEM_ATOMIC ? 4 : sizes[below(s, lanes ? 3 : 2)];
    const uint32_t unit = i.size == 16 ? 4 : i.size;
    i.address = DATA + below(s, SPACE / unit) * unit;
    return i;
}

/* Of the hart or of a kernel: t0 holds the address. */
static const char *scalar(const struct instruction *i)
{
    if (i->kind == SAM_SYSTEM_ATOMIC)
        return "amoadd.w t1, zero, (t0)";
    if (i->size == 1)
        return i->kind == SAM_SYSTEM_LOAD ? "lb t1, 0(t0)" : "sb zero, 0(t0)";
    return i->kind == SAM_SYSTEM_LOAD ? "lw t1, 0(t0)" : "sw zero, 0(t0)";
}

static void make_kernels(struct scene *s)
{
    char *text = s->kernel_text;
    const size_t size = sizeof s->kernel_text;
    for (unsigned k = 0; k < KERNELS; k++) {
        struct kernel *kernel = &s->kernels[k];
        kernel->count = 1 + below(s, 3);
        put(text, size, "k%u: vid.v v1\nvsll.vi v2, v1, 2\n", k);
        for (unsigned i = 0; i < kernel->count; i++) {
            const struct instruction made = kernel->instructions[i] = random_instruction(s, true);
            put(text, size, "li t0, 0x%x\nvadd.vx v3, v2, t0\nk%u_%u: %s\n", made.address, k, i,
                made.size < 16                 ? scalar(&made)
                : made.kind == SAM_SYSTEM_LOAD ? "vlw12.v v4, 0(v3)"
                                               : "vsw12.v v1, 0(v3)");
        }
        put(text, size, "endprg\n");
    }
}

static void make_steps(struct scene *s)
{
    for (unsigned i = 0; i < OPERATIONS; i++) {
        struct step *step = &s->steps[i];
        *step = (struct step){.operation = (enum operation)below(s, KINDS)};
        switch (step->operation) {
        case LAUNCH:
        case RECORD: step->which = below(s, KERNELS); break;
        case COUNT: step->which = below(s, COUNTS); break;
        case WAIT:
        case DONE:
            if (below(s, 3)) /* many accesses between two waits */
                step->operation = ACCESS;
            step->which = below(s, 2);
            break;
        default: break;
        }
        if (step->operation == ACCESS)
            step->instruction = random_instruction(s, false);
    }
    for (unsigned i = 0; i < COUNTS; i++) /* bf16 elements; the counters have 1,024 bytes */
        s->counts[i] = (struct count){DATA + 2 * below(s, SPACE / 2 - 16), 2 + 2 * below(s, 15),
                                      DATA + SPACE - 64 + 4 * below(s, 32)};
    for (unsigned i = 0; i < COUNTS; i++)
        if (s->counts[i].source + s->counts[i].source_size > s->counts[i].destination)
            s->counts[i].source -= 128; /* they may not overlap */
}

static void make_program(struct scene *s, const struct sam_image *kernels)
{
    char *text = s->text;
    const size_t size = sizeof s->text;
    put(text, size, "li s1, 0x02001000\nli s2, 0x02002000\n");
    for (unsigned i = 0; i < OPERATIONS; i++) {
        const struct step *step = &s->steps[i];
        switch (step->operation) {
        case LAUNCH: put(text, size, "la t0, r%u\nh%u: sw t0, 0(s1)\n", step->which, i); break;
        case COUNT: put(text, size, "la t0, w%u\nh%u: sw t0, 0(s2)\n", step->which, i); break;
        case WAIT: put(text, size, "lw t0, 16(s%u)\n", 1 + step->which); break;
        case DONE: put(text, size, "lw t0, 8(s%u)\n", 1 + step->which); break;
        case RECORD: put(text, size, "la t0, r%u\nh%u: sw zero, 60(t0)\n", step->which, i); break;
        default:
            put(text, size, "li t0, 0x%x\nh%u: %s\n", step->instruction.address, i,
                scalar(&step->instruction));
        }
    }
    put(text, size, "li s3, 0x02000000\nsw zero, 4(s3)\n.data\n.balign 64\n");
    for (unsigned k = 0; k < KERNELS; k++) {
        FREED char *name = formatted("k%u", k);
        put(text, size, "r%u: .word 0x%llx, 0, 1, 1, 1, 4, 1, 1024, 0, 0, 0, 0, 0, 0, 0, 0\n", k,
            (unsigned long long)sam_image_find(kernels, name)->value);
    }
    for (unsigned i = 0; i < COUNTS; i++)
        put(text, size, "w%u: .word 2, 1, 1, 0x%x, %u, 0x%x, 1024, 0, 0, %u, 0, 0, 0, 0, %u, 0\n",
            i, s->counts[i].source, s->counts[i].source_size, s->counts[i].destination,
            s->counts[i].source_size / 2, s->counts[i].source_size / 2);
}

/* --------------------------------------------------------------------------- expected races */

static bool reads(enum sam_system_access kind)
{
    return kind == SAM_SYSTEM_LOAD;
}

static bool covers(const struct event *e, uint32_t byte)
{
    return byte - e->address < e->size;
}

/* The byte races: add it to the races of these two. */
static void expect_byte(struct scene *s, const struct event *a, const struct event *b,
                        uint32_t byte)
{
    for (size_t i = 0; i < s->expected_count; i++) {
        struct sam_system_race *r = &s->expected[i];
        if (r->access.agent == a->agent && r->access.access == a->kind && r->access.pc == a->pc &&
            r->access.submitted_pc == a->submitted_pc && r->in_flight.agent == b->agent &&
            r->in_flight.access == b->kind && r->in_flight.pc == b->pc &&
            r->in_flight.submitted_pc == b->submitted_pc) {
            r->low = byte < r->low ? byte : r->low;
            r->high = byte > r->high ? byte : r->high;
            return;
        }
    }
    assert_true(s->expected_count < SAM_COUNT(s->expected));
    s->expected[s->expected_count++] =
        (struct sam_system_race){.access = {.agent = a->agent,
                                            .access = a->kind,
                                            .pc = a->pc,
                                            .submitted_pc = a->submitted_pc},
                                 .in_flight = {.agent = b->agent,
                                               .access = b->kind,
                                               .pc = b->pc,
                                               .submitted_pc = b->submitted_pc,
                                               .number = b->number},
                                 .low = byte,
                                 .high = byte};
}

/* The last submission to a queue that has accessed the byte in this way, at its first access. */
static const struct event *last_of(const struct scene *s, enum sam_system_agent agent,
                                   enum sam_system_access kind, uint32_t byte)
{
    const struct event *last = NULL;
    for (size_t i = 0; i < s->event_count; i++) {
        const struct event *e = &s->events[i];
        if (e->agent == agent && e->kind == kind && covers(e, byte) &&
            (!last || e->number > last->number))
            last = e;
    }
    return last;
}

static void access_memory(struct scene *s, const struct event *a)
{
    for (uint32_t byte = a->address; byte < a->address + a->size; byte++)
        for (unsigned q = 0; q < 2; q++)
            for (unsigned k = 0; k < 3; k++) {
                const enum sam_system_agent agent = SAM_SYSTEM_BY_GPU + q;
                const enum sam_system_access kind = (enum sam_system_access)k;
                const struct event *e = last_of(s, agent, kind, byte);
                const bool conflict = !(reads(kind) && reads(a->kind)) &&
                                      !(kind == SAM_SYSTEM_ATOMIC && a->kind == kind);
                if (e && agent != a->agent && conflict && e->number >= s->ended[q])
                    expect_byte(s, a, e, byte);
            }
    if (a->agent < SAM_SYSTEM_BY_GPU)
        return;
    assert_true(s->event_count < MOST);
    s->events[s->event_count++] = *a;
}

static uint64_t symbol(const struct sam_image *image, const char *letter, unsigned number)
{
    FREED char *name = formatted("%s%u", letter, number);
    const struct sam_symbol *found = sam_image_find(image, name);
    assert_non_null(found);
    return found->value;
}

static void follow_launch(struct scene *s, const struct system_program *p, unsigned k,
                          struct event *e)
{
    e->address = (uint32_t)symbol(p->image, "r", k);
    access_memory(s, e);
    for (unsigned i = 0; i < s->kernels[k].count; i++) {
        const struct instruction *made = &s->kernels[k].instructions[i];
        FREED char *name = formatted("k%u_", k);
        *e = (struct event){e->agent,        made->kind, symbol(p->kernels, name, i),
                            e->submitted_pc, e->number,  made->address,
                            made->size};
        access_memory(s, e);
    }
}

static void follow_count(struct scene *s, const struct system_program *p, unsigned w,
                         struct event *e)
{
    const struct count *count = &s->counts[w];
    e->address = (uint32_t)symbol(p->image, "w", w);
    access_memory(s, e);
    e->address = count->source;
    e->size = count->source_size;
    access_memory(s, e);
    e->kind = SAM_SYSTEM_STORE;
    e->address = count->destination;
    e->size = 1024;
    access_memory(s, e);
}

static void follow(struct scene *s, const struct system_program *p)
{
    for (unsigned i = 0; i < OPERATIONS; i++) {
        const struct step *step = &s->steps[i];
        const bool queued = step->operation == LAUNCH || step->operation == COUNT;
        const unsigned q = step->operation == COUNT;
        if (step->operation == WAIT || step->operation == DONE) {
            s->ended[step->which] = s->submitted[step->which];
            continue;
        }
        const uint64_t pc = symbol(p->image, "h", i);
        if (queued) {
            struct event e = {.agent = SAM_SYSTEM_BY_GPU + q,
                              .kind = SAM_SYSTEM_LOAD,
                              .submitted_pc = pc,
                              .number = s->submitted[q]++,
                              .size = 64};
            if (q)
                follow_count(s, p, step->which, &e);
            else
                follow_launch(s, p, step->which, &e);
            continue;
        }
        struct event e = {.agent = SAM_SYSTEM_BY_HART,
                          .kind = step->instruction.kind,
                          .pc = pc,
                          .address = step->instruction.address,
                          .size = step->instruction.size};
        if (step->operation == RECORD) {
            e.kind = SAM_SYSTEM_STORE;
            e.address = (uint32_t)symbol(p->image, "r", step->which) + 60;
            e.size = 4;
        }
        access_memory(s, &e);
    }
}

/* ----------------------------------------------------------------------------------- compare */

static const struct sam_system_race *find(const struct sam_system_race *races, size_t count,
                                          const struct sam_system_race *wanted)
{
    for (size_t i = 0; i < count; i++) {
        const struct sam_system_race *r = &races[i];
        if (r->access.agent == wanted->access.agent && r->access.access == wanted->access.access &&
            r->access.pc == wanted->access.pc &&
            r->access.submitted_pc == wanted->access.submitted_pc &&
            r->in_flight.agent == wanted->in_flight.agent &&
            r->in_flight.access == wanted->in_flight.access &&
            r->in_flight.pc == wanted->in_flight.pc &&
            r->in_flight.submitted_pc == wanted->in_flight.submitted_pc)
            return r;
    }
    return NULL;
}

static size_t one(uint64_t *random)
{
    struct scene *s = sam_alloc(1, sizeof *s);
    size_t count;
    assert_non_null(s);
    s->random = random;
    make_kernels(s);
    make_steps(s);
    struct sam_image *kernels = test_assemble("ventus", SAM_CODE_BASE, NULL, s->kernel_text);
    make_program(s, kernels);
    SCOPED(system_program) p = system_program_new(
        RV32, &(struct sam_system_options){.check_races = true}, NULL, s->text, NULL);
    p.kernels = kernels;
    succeeds(sam_system_map, p.system, DATA, 0x1000);
    succeeds(sam_system_load_gpu, p.system, kernels);
    system_expect(&p, 0);
    follow(s, &p);
    const struct sam_system_race *races = sam_system_races(p.system, &count, NULL);
    for (size_t i = 0; i < s->expected_count; i++) {
        const struct sam_system_race *wanted = &s->expected[i], *r = find(races, count, wanted);
        if (!r || r->low != wanted->low || r->high != wanted->high ||
            r->in_flight.number != wanted->in_flight.number)
            fail_msg("%s at pc 0x%llx with %s %llu at pc 0x%llx: 0x%llx to 0x%llx",
                     sam_system_agent_name(wanted->access.agent),
                     (unsigned long long)wanted->access.pc,
                     sam_system_agent_name(wanted->in_flight.agent),
                     (unsigned long long)wanted->in_flight.number,
                     (unsigned long long)wanted->in_flight.pc, (unsigned long long)wanted->low,
                     (unsigned long long)wanted->high);
    }
    assert_int_equal(count, s->expected_count);
    free(s);
    return count;
}

TEST(the_races_are_those_of_the_rulings)
{
    uint64_t random = test_seed();
    size_t races = 0;
    for (uint64_t n = test_number("SAMITE_CASES", 60); n > 0; n--)
        races += one(&random);
    assert_true(races > 0);
    printf("# %zu races\n", races);
}
