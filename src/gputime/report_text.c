/* SPDX-License-Identifier: Apache-2.0 */
/* The report as text. */
#include "energy/energy.h"
#include "gputime/report.h"

enum { MOST_SMS = 8, MOST_SLOTS = 32, MOST_INSNS = 12 };

static double percent(uint64_t part, uint64_t whole)
{
    return 100 * sam_gputime_share(part, whole);
}

/* "load 40.2, branch 10.1": shares in percent except BUSY, the largest first. */
static void put_reasons(struct sam_buffer *out, const uint64_t reasons[SAM_GPUTIME_REASONS],
                        uint64_t whole)
{
    bool shown[SAM_GPUTIME_REASONS] = {[SAM_GPUTIME_BUSY] = true};
    for (unsigned count = 0; count < SAM_GPUTIME_REASONS; count++) {
        unsigned most = SAM_GPUTIME_REASONS;
        for (unsigned reason = 0; reason < SAM_GPUTIME_REASONS; reason++)
            if (!shown[reason] && (most == SAM_GPUTIME_REASONS || reasons[reason] > reasons[most]))
                most = reason;
        if (most == SAM_GPUTIME_REASONS || percent(reasons[most], whole) < 0.05)
            break;
        shown[most] = true;
        sam_buffer_printf(out, "%s%s %.1f", count ? ", " : "", sam_gputime_reason_name(most),
                          percent(reasons[most], whole));
    }
    sam_buffer_puts(out, "\n");
}

static void put_totals(const struct sam_gputime_facts *f, struct sam_buffer *out)
{
    const struct sam_gputime_result *r = f->result;
    sam_buffer_printf(out,
                      "  cycles         %12llu  first warp to last endprg; %llu from request "
                      "to reply\n",
                      (unsigned long long)r->cycles, (unsigned long long)r->launch_cycles);
    sam_buffer_printf(out, "  instructions   %12llu  IPC %.2f, %.2f per SM\n",
                      (unsigned long long)r->insns, sam_gputime_share(r->insns, r->cycles),
                      sam_gputime_share(r->insns, r->cycles * r->sms));
    sam_buffer_printf(
        out,
        "  occupancy      %11.1f%%  of %u warp slots; %u workgroup%s at a time on an SM, "
        "limited by %s\n",
        percent(f->resident, r->cycles * r->sms * r->slots), r->sms * r->slots, r->groups_resident,
        r->groups_resident == 1 ? "" : "s", sam_gputime_limit_name(r->limit));
}

static void put_sms(const struct sam_gputime_facts *f, struct sam_buffer *out)
{
    const struct sam_gputime_result *r = f->result;
    sam_buffer_puts(out, "  SM   workgroups  instructions  issues%  why not, in percent\n");
    for (uint32_t i = 0; i < r->sms && i < MOST_SMS; i++) {
        const struct sam_gputime_sm *sm = &r->sm[i];
        sam_buffer_printf(out, "  %-4u %10llu  %12llu  %6.1f   ", i, (unsigned long long)sm->groups,
                          (unsigned long long)sm->insns,
                          percent(sm->reasons[SAM_GPUTIME_BUSY], r->cycles));
        put_reasons(out, sm->reasons, r->cycles);
    }
    if (r->sms > MOST_SMS)
        sam_buffer_printf(out, "  ... %u more\n", r->sms - MOST_SMS);
}

static void put_units(const struct sam_gputime_facts *f, struct sam_buffer *out)
{
    const uint64_t cycles = f->result->cycles * f->result->sms;
    sam_buffer_puts(out, "  unit              uses   busy%  why not, in percent (all SMs)\n");
    for (unsigned u = 0; u < SAM_GPUTIME_UNITS; u++) {
        if (!f->uses[u] && f->unit[u][SAM_GPUTIME_BUSY] == 0)
            continue;
        sam_buffer_printf(out, "  %-9s %12llu  %6.1f  ", sam_gputime_unit_name(u),
                          (unsigned long long)f->uses[u],
                          percent(f->unit[u][SAM_GPUTIME_BUSY], cycles));
        put_reasons(out, f->unit[u], cycles);
    }
}

static void put_slots(const struct sam_gputime_facts *f, struct sam_buffer *out)
{
    const struct sam_gputime_result *r = f->result;
    const uint32_t count = r->sms * r->slots;
    sam_buffer_puts(out, "  warp slot  issues%  why not, in percent\n");
    for (uint32_t i = 0; i < count && i < MOST_SLOTS; i++) {
        char name[24];
        sam_format(name, sizeof name, "%u.%u", i / r->slots, i % r->slots);
        sam_buffer_printf(out, "  %-9s  %6.1f   ", name,
                          percent(r->warp_slots[i][SAM_GPUTIME_BUSY], r->cycles));
        put_reasons(out, r->warp_slots[i], r->cycles);
    }
    if (count > MOST_SLOTS)
        sam_buffer_printf(out, "  ... %u more\n", count - MOST_SLOTS);
}

static void put_cache(struct sam_buffer *out, const char *name, const struct sam_gputime_cache *c)
{
    if (c->reads + c->writes == 0)
        return;
    sam_buffer_printf(out, "  %-9s %10llu  %6.1f  %10llu  %6.1f  %8llu  %8llu  %9llu\n", name,
                      (unsigned long long)c->reads, percent(c->read_hits, c->reads),
                      (unsigned long long)c->writes, percent(c->write_hits, c->writes),
                      (unsigned long long)c->merges, (unsigned long long)c->refusals,
                      (unsigned long long)c->evictions);
}

static void put_memory(const struct sam_gputime_facts *f, struct sam_buffer *out)
{
    const struct sam_gputime_result *r = f->result;
    const uint64_t requests =
        f->sum.icache.reads + f->sum.l1d.reads + f->sum.l1d.writes + r->l2.reads + r->l2.writes;
    if (requests)
        sam_buffer_puts(out, "  cache          reads   hits%      writes   hits%    merged   "
                             "refused  evictions\n");
    put_cache(out, "I-cache", &f->sum.icache);
    put_cache(out, "L1 data", &f->sum.l1d);
    put_cache(out, "L2", &r->l2);
    if (r->dram_reads + r->dram_writes)
        sam_buffer_printf(out,
                          "  DRAM      %llu bytes read, %llu written; its bus is busy in "
                          "%.1f%% of the cycles\n",
                          (unsigned long long)r->dram_bytes_read,
                          (unsigned long long)r->dram_bytes_written,
                          percent(r->dram_busy, r->cycles));
    if (f->sum.lds_accesses)
        sam_buffer_printf(out, "  local memory  %llu accesses, %.2f turns of its banks each\n",
                          (unsigned long long)f->sum.lds_accesses,
                          sam_gputime_share(f->sum.lds_turns, f->sum.lds_accesses));
    if (f->sum.bank_conflicts)
        sam_buffer_printf(out, "  register banks  %llu operand reads waited for one\n",
                          (unsigned long long)f->sum.bank_conflicts);
}

static void put_findings(const struct sam_gputime_facts *f, struct sam_buffer *out)
{
    if (f->finding_count)
        sam_buffer_puts(out, "  findings, the largest first\n");
    for (size_t i = 0; i < f->finding_count; i++) {
        const struct sam_gputime_finding *finding = &f->findings[i];
        sam_buffer_printf(out, "  %zu. %s: ", i + 1, finding->name);
        if (finding->row) {
            sam_gputime_place(f, finding->row, out);
            sam_buffer_puts(out, ": ");
        }
        sam_buffer_printf(out, "%s\n", finding->text);
    }
}

/* The instructions with the most warp cycles. */
static void put_insns(const struct sam_gputime_facts *f, struct sam_buffer *out)
{
    const struct sam_gputime_result *r = f->result;
    const struct sam_gputime_row *last = NULL;
    if (r->row_count)
        sam_buffer_puts(out, "  instruction: the share of the warps' cycles with it as the next "
                             "one, issues, why it waited\n");
    for (unsigned shown = 0; shown < MOST_INSNS; shown++) {
        const struct sam_gputime_row *next = NULL;
        for (size_t i = 0; i < r->row_count; i++) {
            const struct sam_gputime_row *row = &r->rows[i];
            const bool after =
                !last || sam_gputime_row_cycles(row) < sam_gputime_row_cycles(last) ||
                (sam_gputime_row_cycles(row) == sam_gputime_row_cycles(last) && row > last);
            if (after && (!next || sam_gputime_row_cycles(row) > sam_gputime_row_cycles(next)))
                next = row;
        }
        if (!next)
            return;
        sam_buffer_printf(out, "  %5.1f%% %10llu  ",
                          percent(sam_gputime_row_cycles(next), f->resident),
                          (unsigned long long)next->issues);
        sam_gputime_place(f, next, out);
        sam_buffer_puts(out, "  ");
        put_reasons(out, next->reasons, sam_gputime_row_cycles(next));
        last = next;
    }
    if (r->row_count > MOST_INSNS)
        sam_buffer_printf(out, "  ... %zu more\n", r->row_count - MOST_INSNS);
}

void sam_gputime_put_text(const struct sam_gputime_facts *f, struct sam_buffer *out)
{
    put_totals(f, out);
    put_sms(f, out);
    put_units(f, out);
    put_slots(f, out);
    put_memory(f, out);
    sam_energy_put_text(&f->energy, out);
    put_insns(f, out);
    put_findings(f, out);
}
