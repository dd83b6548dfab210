/* SPDX-License-Identifier: Apache-2.0 */
/* Host calls: semihosting, ecall, and the words tohost and fromhost. */
#include <stdio.h>
#include <stdlib.h>

#include "hart/core.h"
#include "hostio/hostio.h"
#include "machine/journal.h"

enum { A0 = 10, A1 = 11, A7 = 17 };

/* Instructions around the ebreak of a semihosting call. */
#define CALL_ENTRY UINT32_C(0x01f01013) /* slli x0, x0, 0x1f */
#define CALL_EXIT  UINT32_C(0x40705013) /* srai x0, x0, 7 */

#define HEAP_LIMIT (UINT64_C(256) << 20)

/* A kind of call: answers it by its number and parameters. */
typedef enum sam_hostio_end answer(struct sam_hostio *io, const struct sam_hostio_guest *guest,
                                   const uint64_t *words, struct sam_hostio_reply *reply);

/* An answered call. When a session replays it, the answer is reused. */
struct answered {
    answer *way;
    uint64_t retired; /* retired before the call */
    enum sam_hostio_end end;
    struct sam_hostio_reply reply;
    size_t from, to; /* range in `written` of what the call wrote to memory */
};

struct sam_hart_calls {
    struct answered *list;
    size_t count, capacity;
    struct sam_buffer written; /* log of writes: address and size, 8 bytes each, and the bytes */
};

void sam_hart_calls_free(struct sam_hart_calls *calls)
{
    if (!calls)
        return;
    free(calls->list);
    sam_buffer_free(&calls->written);
    free(calls);
}

bool sam_hart_calls_keep(struct sam_hart *hart)
{
    hart->calls = hart->options.hostio ? sam_alloc(1, sizeof *hart->calls) : NULL;
    return hart->calls || !hart->options.hostio;
}

/* ------------------------------------------------------------------------ the program's memory */

static void tell(const struct sam_hart *hart, uint64_t address, size_t size, bool store)
{
    if (hart->listener)
        hart->listener->called(hart->listener->context, address, size, store);
}

static bool read_guest(void *context, uint64_t address, void *data, size_t size)
{
    struct sam_hart *hart = context;
    address = sam_hart_wrap(hart, address);
    if (sam_hart_read(hart, address, data, size, NULL) != SAM_OK)
        return false;
    if (data) /* NULL: only check the range */
        tell(hart, address, size, false);
    return true;
}

static bool write_memory(struct sam_hart *hart, uint64_t address, const void *data, size_t size)
{
    return sam_hart_read(hart, address, NULL, size, NULL) == SAM_OK &&
           (!hart->tlb.journal ||
            sam_journal_save_range(hart->tlb.journal, hart->memory, address, size)) &&
           sam_hart_write(hart, address, data, size, NULL) == SAM_OK;
}

static bool write_guest(void *context, uint64_t address, const void *data, size_t size)
{
    struct sam_hart *hart = context;
    address = sam_hart_wrap(hart, address);
    if (!write_memory(hart, address, data, size))
        return false;
    tell(hart, address, size, true);
    if (hart->calls) {
        const uint64_t range[2] = {address, size};
        sam_buffer_append(&hart->calls->written, range, sizeof range);
        sam_buffer_append(&hart->calls->written, data, size);
    }
    return true;
}

static uint64_t time_of(void *context)
{
    const struct sam_hart *hart = context;
    return hart->core.retired;
}

/* The end of the highest section that begins below `limit`. */
static uint64_t end_below(const struct sam_image *image, uint64_t limit)
{
    uint64_t end = 0;
    for (size_t i = 0; image && i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        if (s->size && s->address < limit && s->address + s->size > end)
            end = s->address + s->size;
    }
    return end;
}

static uint64_t symbol(const struct sam_hart *hart, const char *name)
{
    const struct sam_symbol *found = hart->image ? sam_image_find(hart->image, name) : NULL;
    return found ? found->value : 0;
}

uint64_t sam_hart_heap_end(const struct sam_hart *hart)
{
    const uint64_t end = end_below(hart->image, hart->home.program_top);
    return hart->home.heap_size
               ? (end + SAM_PAGE_SIZE - 1) / SAM_PAGE_SIZE * SAM_PAGE_SIZE + hart->home.heap_size
               : end;
}

/* A heap of fixed size is already mapped. */
static bool grow(void *context, uint64_t end)
{
    struct sam_hart *hart = context;
    const uint64_t base = end_below(hart->image, hart->home.program_top);
    const uint64_t stack = hart->home.stack_top - hart->home.stack_size;
    if (hart->home.heap_size)
        return end <= sam_hart_heap_end(hart);
    return end - base <= HEAP_LIMIT && (base > stack || end <= stack) &&
           sam_hart_map(hart, base, end - base, NULL) == SAM_OK;
}

static struct sam_hostio_guest guest_of(struct sam_hart *hart)
{
    const uint64_t start = symbol(hart, "__heap_start"), stack = symbol(hart, "__stack");
    const uint64_t limit = symbol(hart, "__heap_end"),
                   end = end_below(hart->image, hart->home.program_top);
    return (struct sam_hostio_guest){
        .context = hart,
        .xlen = hart->machine.isa.xlen,
        .read = read_guest,
        .write = write_guest,
        .time = time_of,
        .grow = grow,
        .heap_base = start ? start : (end + 15) & ~UINT64_C(15),
        .heap_limit = limit || !hart->home.heap_size ? limit : sam_hart_heap_end(hart),
        .stack_base = stack ? stack : hart->home.stack_top,
        .stack_limit = stack ? 0 : hart->home.stack_top - hart->home.stack_size,
    };
}

/* Maximum distance from a program to the end of its heap or stack. */
#define MEMORY_LIMIT (UINT64_C(1) << 30)

enum sam_status sam_hart_plan_heap(struct sam_hart *hart, struct sam_memory *plan,
                                   struct sam_error *error)
{
    static const char *const names[] = {"__heap_end", "__stack"};
    const uint64_t program = end_below(hart->image, hart->home.program_top);
    enum sam_status status = SAM_OK;
    if (program && hart->home.heap_size)
        status = sam_host_map(plan, program, sam_hart_heap_end(hart) - program, error);
    for (size_t i = 0; status == SAM_OK && i < SAM_COUNT(names); i++) {
        const uint64_t end = symbol(hart, names[i]), from = end_below(hart->image, end);
        if (from == 0 || end <= from)
            continue;
        if (end - from > MEMORY_LIMIT)
            return sam_fail(error, SAM_ERR_INPUT,
                            "symbol %s is 0x%llx, more than 1 GiB above the program's end 0x%llx",
                            names[i], (unsigned long long)end, (unsigned long long)from);
        status = sam_host_map(plan, from, end - from, error);
    }
    return status;
}

/* --------------------------------------------------------------------------------- answering */

/* The remembered answer of the call, or NULL. */
static const struct answered *find_answered(struct sam_hart *hart, answer *way)
{
    struct sam_hart_calls *calls = hart->calls;
    const uint64_t now = hart->core.retired;
    size_t i = calls ? calls->count : 0;
    while (i && (calls->list[i - 1].retired > now ||
                 (calls->list[i - 1].retired == now && calls->list[i - 1].way != way)))
        i--;
    const bool made = i && calls->list[i - 1].retired == now;
    if (made && now < hart->shown)
        return &calls->list[i - 1];
    i -= made;
    if (calls && i < calls->count) { /* discard the answers of the old future */
        calls->written.size = calls->list[i].from;
        calls->count = i;
    }
    return NULL;
}

static enum sam_hostio_end repeat(struct sam_hart *hart, const struct answered *call,
                                  struct sam_hostio_reply *reply)
{
    const uint8_t *written = hart->calls->written.data;
    for (size_t at = call->from; at < call->to;) {
        uint64_t range[2];
        memcpy(range, written + at, sizeof range);
        at += sizeof range;
        write_memory(hart, range[0], written + at, (size_t)range[1]);
        at += (size_t)range[1];
    }
    *reply = call->reply;
    return call->end;
}

static bool keep(struct sam_hart_calls *calls, const struct answered *call)
{
    struct answered *list =
        sam_grow(calls->list, calls->count, &calls->capacity, sizeof *calls->list);
    if (!list)
        return false;
    calls->list = list;
    calls->list[calls->count++] = *call;
    return !calls->written.failed;
}

static enum sam_hostio_end answer_semihost(struct sam_hostio *io,
                                           const struct sam_hostio_guest *guest,
                                           const uint64_t *words, struct sam_hostio_reply *reply)
{
    return sam_hostio_semihost(io, guest, words[0], words[1], reply);
}

static enum sam_hostio_end answer_syscall(struct sam_hostio *io,
                                          const struct sam_hostio_guest *guest,
                                          const uint64_t *words, struct sam_hostio_reply *reply)
{
    return sam_hostio_syscall(io, guest, words[0], words + 1, reply);
}

static enum sam_hostio_end call_host(struct sam_hart *hart, answer *way, const uint64_t *words,
                                     struct sam_hostio_reply *reply)
{
    const struct answered *earlier = find_answered(hart, way);
    if (earlier)
        return repeat(hart, earlier, reply);
    const struct sam_hostio_guest guest = guest_of(hart);
    struct answered call = {.way = way, .retired = hart->core.retired};
    call.from = hart->calls ? hart->calls->written.size : 0;
    call.end = way(hart->options.hostio, &guest, words, reply);
    call.reply = *reply;
    call.to = hart->calls ? hart->calls->written.size : 0;
    if (hart->calls && !keep(hart->calls, &call)) {
        snprintf(reply->text, sizeof reply->text, "no memory to remember a call of the program");
        return SAM_HOSTIO_FAILED;
    }
    return call.end;
}

/* Continue or end the run, as the answer says. */
static bool conclude(struct sam_hart *hart, enum sam_hostio_end end,
                     const struct sam_hostio_reply *reply, struct sam_hart_result *result)
{
    struct sam_buffer out = {0};
    if (end == SAM_HOSTIO_DONE)
        return true;
    result->pc = sam_hart_pc(hart);
    result->exit_code = reply->exit_code;
    result->end = end == SAM_HOSTIO_EXIT   ? SAM_HART_EXIT
                  : end == SAM_HOSTIO_SINK ? SAM_HART_STOPPED
                                           : SAM_HART_TRAP;
    if (end == SAM_HOSTIO_FAILED) {
        result->cause = hart->core.cause;
        sam_buffer_printf(&out, "%s, ", reply->text);
        sam_fault_put_pc(&out, hart->image, result->pc, 0);
        snprintf(result->text, sizeof result->text, "%s", sam_buffer_text(&out));
        sam_buffer_free(&out);
    }
    return false;
}

/* Step over the calling instruction. */
static enum sam_status pass(struct sam_hart *hart, uint64_t value)
{
    struct sam_hart_record r;
    memset(&r, 0, sizeof r);
    r.step.pc = sam_hart_pc(hart);
    sam_step_begin(&hart->core, &r.step, &r.insn);
    r.step.kind = SAM_STEP_RAN;
    r.step.x = A0;
    r.step.x_count = 1;
    sam_hart_set_x(hart, A0, value);
    r.step.x_value[0] = sam_hart_x(hart, A0);
    hart->core.pc += 4;
    hart->core.retired++;
    r.step.next_pc = sam_hart_pc(hart);
    return sam_hart_is_observed(hart) ? sam_hart_observe(hart, &r) : SAM_OK;
}

/* Execute the host call at pc. */
static bool trap_to_host(struct sam_hart *hart, answer *way, const uint64_t *words,
                         struct sam_hart_result *result)
{
    struct sam_hostio_reply reply;
    const enum sam_hostio_end end = call_host(hart, way, words, &reply);
    if (!conclude(hart, end, &reply, result))
        return false;
    if (pass(hart, reply.result) == SAM_OK)
        return true;
    result->end = SAM_HART_STOPPED;
    return false;
}

static bool word_is(struct sam_hart *hart, uint64_t address, uint32_t wanted)
{
    uint8_t bytes[4];
    return sam_hart_read(hart, sam_hart_wrap(hart, address), bytes, sizeof bytes, NULL) == SAM_OK &&
           sam_le32(bytes) == wanted;
}

bool sam_hart_is_semihost(struct sam_hart *hart)
{
    const uint64_t pc = sam_hart_pc(hart);
    return word_is(hart, pc - 4, CALL_ENTRY) && word_is(hart, pc + 4, CALL_EXIT);
}

bool sam_hart_semihost(struct sam_hart *hart, struct sam_hart_result *result)
{
    const uint64_t words[2] = {sam_hart_x(hart, A0), sam_hart_x(hart, A1)};
    if (hart->options.hostio)
        return trap_to_host(hart, answer_semihost, words, result);
    const struct sam_hostio_reply none = {.text = "semihosting call, and there is no host"};
    return conclude(hart, SAM_HOSTIO_FAILED, &none, result);
}

bool sam_hart_ecall(struct sam_hart *hart, struct sam_hart_result *result)
{
    uint64_t words[7] = {sam_hart_x(hart, A7)};
    for (unsigned i = 0; i < 6; i++)
        words[1 + i] = sam_hart_x(hart, A0 + i);
    return trap_to_host(hart, answer_syscall, words, result);
}

/* ---------------------------------------------------------------------------------------- HTIF */

enum { HTIF_WORDS = 8, CONSOLE = 1, PUT = 1 };

static uint64_t read_tohost(struct sam_hart *hart)
{
    uint8_t bytes[8] = {0};
    sam_memory_read(hart->memory, hart->tohost, bytes, hart->machine.isa.xlen / 8);
    return sam_le64(bytes);
}

static void write_word(struct sam_hart *hart, uint64_t address, uint64_t value)
{
    uint8_t bytes[8];
    sam_put_le64(bytes, value);
    write_memory(hart, address, bytes, sizeof bytes);
}

/* Answer in fromhost, and clear the request. */
static void answer_htif(struct sam_hart *hart, uint64_t fromhost, uint64_t value)
{
    write_word(hart, hart->tohost, 0);
    write_word(hart, fromhost, value);
}

/* A system call in the eight words that tohost points to; the result goes to the first. */
static bool call_htif(struct sam_hart *hart, uint64_t block, uint64_t fromhost,
                      struct sam_hart_result *result)
{
    uint8_t bytes[8 * HTIF_WORDS];
    uint64_t words[HTIF_WORDS];
    struct sam_hostio_reply reply = {0};
    if (!read_guest(hart, block, bytes, sizeof bytes)) {
        snprintf(reply.text, sizeof reply.text,
                 "tohost: the system call at 0x%llx is not in memory", (unsigned long long)block);
        return conclude(hart, SAM_HOSTIO_FAILED, &reply, result);
    }
    for (unsigned i = 0; i < HTIF_WORDS; i++)
        words[i] = sam_le64(bytes + 8 * i);
    const enum sam_hostio_end end = call_host(hart, answer_syscall, words, &reply);
    if (!conclude(hart, end, &reply, result))
        return false;
    write_word(hart, block, reply.result);
    answer_htif(hart, fromhost, 1);
    return true;
}

/* HTIF: an odd value requests an exit, with the code above bit 0; device and command are in 63:48.
 */
bool sam_hart_tohost(struct sam_hart *hart, struct sam_hart_result *result)
{
    const uint64_t value = read_tohost(hart), fromhost = symbol(hart, "fromhost");
    const unsigned device = (unsigned)(value >> 56), command = value >> 48 & 0xff;
    if (value & 1 && !device && !command) {
        result->end = SAM_HART_EXIT;
        result->exit_code = value >> 1;
        result->pc = sam_hart_pc(hart);
        return false;
    }
    if (value == 0 || !hart->options.hostio || !fromhost)
        return true;
    if (!device && !command)
        return call_htif(hart, value, fromhost, result);
    if (device != CONSOLE || command != PUT)
        return true;
    if (hart->core.retired >= hart->shown && !sam_hostio_put(hart->options.hostio, (char)value))
        return conclude(hart, SAM_HOSTIO_SINK, &(struct sam_hostio_reply){0}, result);
    answer_htif(hart, fromhost, (uint64_t)CONSOLE << 56 | (uint64_t)PUT << 48);
    return true;
}
