/* SPDX-License-Identifier: Apache-2.0 */
/* Where the cycles of the matrix unit went: one screen of text, or JSON. */
#include <math.h>

#include "run_hart.h"

enum { BAR = 40 };

static void put_bar(double part, FILE *text)
{
    int filled = (int)lround(part * BAR);
    for (int i = 0; i < BAR; i++)
        fputc(i < filled ? '#' : '.', text);
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static double utilisation(const struct sam_mxu_stats *s)
{
    return ratio(s->full_uops, (double)s->cycles);
}

/* Bytes that the bus moves in a cycle at most. */
static double bus_bytes(const struct sam_mxu_config *c)
{
    return 16.0 / c->beat_cycles;
}

/* Log-log: operations a cycle over operations a byte, the bus's slope and the array's roof. */
static void put_roofline(const struct sam_mxu_config *c, const struct sam_mxu_stats *s, FILE *text)
{
    enum { ROWS = 9, COLUMNS = 56 };
    const double peak = 2 * (double)s->peak_macs, slope = bus_bytes(c);
    const double bytes = 16 * (double)(s->read_beats + s->write_beats);
    const double done = ratio(2 * (double)s->macs, (double)s->cycles);
    const double intensity = ratio(2 * (double)s->macs, bytes);
    if (s->macs == 0 || bytes <= 0)
        return;
    const double ridge = peak / slope; /* operations a byte at which the roof begins */
    const double left = log2(fmin(ridge, intensity)) - 3, right = log2(fmax(ridge, intensity)) + 2;
    const double top = log2(peak), bottom = fmin(top - ROWS + 1, log2(done) - 1);
    const int x = (int)lround((log2(intensity) - left) / (right - left) * (COLUMNS - 1));
    const int y = (int)lround((log2(done) - bottom) / (top - bottom) * (ROWS - 1));
    fprintf(text, "  roofline (operations a cycle over operations a byte, both in powers of 2)\n");
    for (int row = ROWS - 1; row >= 0; row--) {
        char line[COLUMNS + 1] = "";
        int used = 0;
        for (int column = 0; column < COLUMNS; column++) {
            const double at = exp2(left + (right - left) * column / (COLUMNS - 1));
            const double limit = log2(fmin(peak, at * slope));
            const int roof = (int)lround((limit - bottom) / (top - bottom) * (ROWS - 1));
            line[column] = column == x && row == y ? '@'
                           : row != roof           ? ' '
                           : at < ridge            ? '/'
                                                   : '-';
            used = line[column] == ' ' ? used : column + 1;
        }
        fprintf(text, "  %8.4g |%.*s\n", exp2(bottom + (top - bottom) * row / (ROWS - 1)), used,
                line);
    }
    fprintf(text,
            "           %.2f operations a byte, ridge at %.2f: %s; @ %.1f of %.1f operations "
            "a cycle\n",
            intensity, ridge, intensity < ridge ? "bus-bound" : "compute-bound", done,
            fmin(peak, intensity * slope));
}

static void put_units(const struct sam_mxu_stats *s, FILE *text)
{
    for (int unit = 0; unit < SAM_MXU_UNITS; unit++) {
        const uint64_t *buckets = s->buckets[unit];
        const double busy = ratio((double)buckets[SAM_MXU_BUSY], (double)s->cycles);
        fprintf(text, "  %-6s ", sam_mxu_unit_name((enum sam_mxu_unit)unit));
        put_bar(busy, text);
        fprintf(text, " %5.1f %%", 100 * busy);
        for (int state = 1; state < SAM_MXU_STATES; state++)
            if (buckets[state])
                fprintf(text, "  %s %.1f", sam_mxu_state_name((enum sam_mxu_state)state),
                        100 * ratio((double)buckets[state], (double)s->cycles));
        fputc('\n', text);
    }
}

void run_hart_report_cycles(const struct sam_mxu_config *c, const struct sam_mxu_stats *s,
                            FILE *text)
{
    fprintf(text, "matrix unit: %llu cycles; MLEN %u, mpara %u, npara %u, %u slots\n",
            (unsigned long long)s->cycles, c->mlen, c->mpara, c->npara, c->slots);
    fprintf(text, "  uops: %llu mma, %llu pointwise, %llu load, %llu store, %llu zeroing\n",
            (unsigned long long)s->mma_uops, (unsigned long long)s->pw_uops,
            (unsigned long long)s->load_uops, (unsigned long long)s->store_uops,
            (unsigned long long)s->zero_uops);
    fprintf(text,
            "  bus: %llu read beats for %llu bytes, %llu write beats for %llu bytes, %llu full "
            "lines\n",
            (unsigned long long)s->read_beats, (unsigned long long)s->bytes_loaded,
            (unsigned long long)s->write_beats, (unsigned long long)s->bytes_stored,
            (unsigned long long)s->full_lines);
    fprintf(text, "  array  ");
    put_bar(utilisation(s), text);
    fprintf(text, " %5.1f %% of its multipliers\n", 100 * utilisation(s));
    put_units(s, text);
    put_roofline(c, s, text);
}

static json_t *units_json(const struct sam_mxu_stats *s)
{
    json_t *units = json_object();
    bool good = units != NULL;
    for (int unit = 0; good && unit < SAM_MXU_UNITS; unit++) {
        json_t *states = json_object();
        for (int state = 0; good && state < SAM_MXU_STATES; state++)
            good = json_object_set_new(states, sam_mxu_state_name((enum sam_mxu_state)state),
                                       json_integer((json_int_t)s->buckets[unit][state])) == 0;
        const char *name = sam_mxu_unit_name((enum sam_mxu_unit)unit);
        good = json_object_set_new(units, name, states) == 0 && good;
    }
    if (good)
        return units;
    json_decref(units);
    return NULL;
}

json_t *run_hart_cycles_json(const struct sam_mxu_config *c, const struct sam_mxu_stats *s)
{
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"cycles", s->cycles},
        {"mlen", c->mlen},
        {"mpara", c->mpara},
        {"npara", c->npara},
        {"slots", c->slots},
        {"instructions", s->instructions},
        {"scalar", s->scalar},
        {"mma_uops", s->mma_uops},
        {"pointwise_uops", s->pw_uops},
        {"load_uops", s->load_uops},
        {"store_uops", s->store_uops},
        {"zero_uops", s->zero_uops},
        {"macs", s->macs},
        {"peak_macs", s->peak_macs},
        {"read_requests", s->read_requests},
        {"write_requests", s->write_requests},
        {"full_lines", s->full_lines},
        {"read_beats", s->read_beats},
        {"write_beats", s->write_beats},
        {"bytes_loaded", s->bytes_loaded},
        {"bytes_stored", s->bytes_stored},
    };
    json_t *root = json_object();
    bool good = root != NULL;
    for (size_t i = 0; good && i < sizeof numbers / sizeof numbers[0]; i++)
        good = json_object_set_new(root, numbers[i].name,
                                   json_integer((json_int_t)numbers[i].value)) == 0;
    good = good && json_object_set_new(root, "utilisation", json_real(utilisation(s))) == 0 &&
           json_object_set_new(root, "units", units_json(s)) == 0;
    if (good)
        return root;
    json_decref(root);
    return NULL;
}
