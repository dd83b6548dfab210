/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace/timeline.h"

/* Short signal names, from '"' on; '!' is the clock. */
static void put_code(struct sam_buffer *line, unsigned index)
{
    char code[4];
    unsigned size = 0;
    for (index++; index; index /= 90)
        code[size++] = (char)('!' + index % 90);
    sam_buffer_append(line, code, size);
}

static void flush(struct sam_vcd *v)
{
    v->failed =
        v->failed || v->line.failed || !v->sink.write(v->sink.context, v->line.data, v->line.size);
    v->line.size = 0;
}

static void put_value(struct sam_vcd *v, unsigned index)
{
    const struct sam_vcd_value *value = &v->last[index];
    const unsigned width = v->signals[index].width;
    if (width > 1)
        sam_buffer_append(&v->line, "b", 1);
    for (unsigned bit = width; bit-- > 0;) {
        uint64_t word = bit < 64 ? value->low : value->high;
        sam_buffer_append(&v->line, word >> (bit % 64) & 1 ? "1" : "0", 1);
    }
    if (width > 1)
        sam_buffer_append(&v->line, " ", 1);
    put_code(&v->line, index);
    sam_buffer_append(&v->line, "\n", 1);
}

bool sam_vcd_init(struct sam_vcd *v, const struct sam_sink *sink, const char *module,
                  const struct sam_vcd_signal *signals, unsigned count)
{
    *v = (struct sam_vcd){.sink = *sink, .signals = signals, .count = count};
    v->last = sam_alloc(count, sizeof *v->last);
    if (!v->last)
        return false;
    sam_buffer_printf(
        &v->line, "$timescale 1ns $end\n$scope module %s $end\n$var wire 1 ! clk $end\n", module);
    for (unsigned i = 0; i < count; i++) {
        sam_buffer_printf(&v->line, "$var wire %u ", signals[i].width);
        put_code(&v->line, i);
        sam_buffer_printf(&v->line, " %s", signals[i].name);
        if (signals[i].width > 1)
            sam_buffer_printf(&v->line, " [%u:0]", signals[i].width - 1);
        sam_buffer_printf(&v->line, " $end\n");
    }
    sam_buffer_printf(&v->line, "$upscope $end\n$enddefinitions $end\n");
    flush(v);
    return true;
}

void sam_vcd_cycle(struct sam_vcd *v, uint64_t cycle, const struct sam_vcd_value *values)
{
    sam_buffer_printf(&v->line, "#%" PRIu64 "\n1!\n", 2 * cycle);
    for (unsigned i = 0; i < v->count; i++) {
        if (v->begun && memcmp(&values[i], &v->last[i], sizeof values[i]) == 0)
            continue;
        v->last[i] = values[i];
        put_value(v, i);
    }
    v->begun = true;
    sam_buffer_printf(&v->line, "#%" PRIu64 "\n0!\n", 2 * cycle + 1);
    flush(v);
}

bool sam_vcd_end(struct sam_vcd *v, uint64_t cycles)
{
    sam_buffer_printf(&v->line, "#%" PRIu64 "\n", 2 * cycles);
    flush(v);
    sam_buffer_free(&v->line);
    free(v->last);
    v->last = NULL;
    return !v->failed;
}
