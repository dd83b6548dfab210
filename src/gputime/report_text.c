/* SPDX-License-Identifier: Apache-2.0 */
/* The report as text: lines over the tree, with the sums and lists that people read added to it. */
#include "energy/energy.h"
#include "gputime/report.h"

enum { MOST_SMS = 8, MOST_SLOTS = 32, MOST_INSNS = 12 };

const char sam_gputime_lines[] =
    "  cycles         {cycles:12}  first warp to last endprg; {launch_cycles} from request to "
    "reply\n"
    "  instructions   {insns:12}  IPC {ipc:.2}, {insns/sm_cycles:.2} per SM\n"
    "  occupancy      {resident%slot_cycles:11.1}%  of {occupancy.warp_slots} warp slots; "
    "{occupancy.workgroups_per_sm} {occupancy.workgroups_per_sm|workgroup|workgroups} at a time on "
    "an SM, limited by {occupancy.limit}\n"
    "  SM   workgroups  instructions  issues%  why not, in percent\n"
    "*sms:8   {key:-4} {workgroups:10}  {insns:12}  {reasons.busy%cycles:6.1}   {reasons>cycles}\n"
    "?more_sms   ... {more_sms} more\n"
    "  unit              uses   busy%  why not, in percent (all SMs)\n"
    "*used   {key:-9} {uses:12}  {reasons.busy%sm_cycles:6.1}  {reasons>sm_cycles}\n"
    "  warp slot  issues%  why not, in percent\n"
    "*slots   {key:-9}  {busy%cycles:6.1}   {value>cycles}\n"
    "?more_slots   ... {more_slots} more\n"
    "?caches   cache          reads   hits%      writes   hits%    merged   refused  evictions\n"
    "*caches   {key:-9} {reads:10}  {read_hits%reads:6.1}  {writes:10}  {write_hits%writes:6.1}  "
    "{merges:8}  {refusals:8}  {evictions:9}\n"
    "?dram_requests   DRAM      {dram.bytes_read} bytes read, {dram.bytes_written} written; its "
    "bus "
    "is busy in {dram.busy%cycles:.1}% of the cycles\n"
    "?lds_accesses   local memory  {lds_accesses} accesses, {lds_passes/lds_accesses:.2} passes "
    "over its banks each\n"
    "?bank_conflicts   register banks  {bank_conflicts} operand reads waited for "
    "one\n" SAM_ENERGY_LINES
    "?rows   instruction: the share of the warps' cycles with it as the next one, issues, why it "
    "waited\n"
    "*rows   {waited%resident:5.1}% {issues:10}  {place}  {reasons>waited}\n"
    "?more_rows   ... {more_rows} more\n"
    "?advice   findings, the largest first\n"
    "*advice   {number}. {name}: {place}{text}\n";

/* The units that were used, of all SMs together. */
static json_t *units_of(const struct sam_gputime_facts *f)
{
    json_t *units = json_object();
    for (unsigned u = 0; u < SAM_GPUTIME_UNITS; u++) {
        if (!f->uses[u] && f->unit[u][SAM_GPUTIME_BUSY] == 0)
            continue;
        json_t *unit = sam_tree_count(json_object(), "uses", f->uses[u]);
        unit = sam_tree_set(unit, "reasons", sam_gputime_reasons_tree(f->unit[u]));
        units = sam_tree_set(units, sam_gputime_unit_name(u), unit);
    }
    return units;
}

static json_t *slots_of(const struct sam_gputime_result *r)
{
    json_t *slots = json_object();
    for (uint32_t i = 0; i < r->sms * r->slots && i < MOST_SLOTS; i++) {
        char name[24];
        sam_format(name, sizeof name, "%u.%u", i / r->slots, i % r->slots);
        slots = sam_tree_set(slots, name, sam_gputime_reasons_tree(r->warp_slots[i]));
    }
    return slots;
}

static json_t *add_cache(json_t *caches, const char *name, const struct sam_gputime_cache *c)
{
    return c->reads + c->writes ? sam_tree_set(caches, name, sam_gputime_cache_tree(c)) : caches;
}

static json_t *add_place(json_t *object, const struct sam_gputime_facts *f,
                         const struct sam_gputime_row *row, const char *after)
{
    struct sam_buffer place = {0};
    if (row) {
        sam_gputime_place(f, row, &place);
        sam_buffer_puts(&place, after);
    }
    if (!place.failed) {
        object = sam_tree_text(object, "place", sam_buffer_text(&place));
    } else {
        json_decref(object);
        object = NULL;
    }
    sam_buffer_free(&place);
    return object;
}

/* The instructions with the most warp cycles. */
static json_t *rows_of(const struct sam_gputime_facts *f)
{
    const struct sam_gputime_result *r = f->result;
    const struct sam_gputime_row *last = NULL;
    json_t *rows = json_array();
    for (unsigned shown = 0; shown < MOST_INSNS; shown++) {
        const struct sam_gputime_row *next = NULL;
        for (size_t i = 0; i < r->row_count; i++) {
            const struct sam_gputime_row *row = &r->rows[i];
            const uint64_t cycles = sam_gputime_row_cycles(row);
            const uint64_t most = last ? sam_gputime_row_cycles(last) : UINT64_MAX;
            if ((cycles < most || (cycles == most && row > last)) &&
                (!next || cycles > sam_gputime_row_cycles(next)))
                next = row;
        }
        if (!next)
            break;
        json_t *row = sam_tree_count(json_object(), "waited", sam_gputime_row_cycles(next));
        row = add_place(sam_tree_count(row, "issues", next->issues), f, next, "");
        rows = sam_tree_add(rows,
                            sam_tree_set(row, "reasons", sam_gputime_reasons_tree(next->reasons)));
        last = next;
    }
    return rows;
}

static json_t *advice_of(const struct sam_gputime_facts *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->finding_count; i++) {
        const struct sam_gputime_finding *finding = &f->findings[i];
        json_t *row = sam_tree_count(json_object(), "number", i + 1);
        row = sam_tree_text(sam_tree_text(row, "name", finding->name), "text", finding->text);
        list = sam_tree_add(list, add_place(row, f, finding->row, ": "));
    }
    return list;
}

static json_t *add_more(json_t *root, const char *name, uint64_t count, uint64_t shown)
{
    return sam_tree_count(root, name, count > shown ? count - shown : 0);
}

json_t *sam_gputime_text_tree(const struct sam_gputime_facts *f, json_t *root)
{
    const struct sam_gputime_result *r = f->result;
    json_t *caches = add_cache(json_object(), "I-cache", &f->sum.icache);
    caches = add_cache(add_cache(caches, "L1 data", &f->sum.l1d), "L2", &r->l2);
    root = sam_tree_count(root, "resident", f->resident);
    root = sam_tree_count(root, "sm_cycles", r->cycles * r->sms);
    root = sam_tree_count(root, "slot_cycles", r->cycles * r->sms * r->slots);
    root = add_more(root, "more_sms", r->sms, MOST_SMS);
    root = add_more(root, "more_slots", r->sms * r->slots, MOST_SLOTS);
    root = add_more(root, "more_rows", r->row_count, MOST_INSNS);
    root = sam_tree_set(root, "used", units_of(f));
    root = sam_tree_set(root, "slots", slots_of(r));
    root = sam_tree_set(root, "caches", caches);
    root = sam_tree_count(root, "dram_requests", r->dram_reads + r->dram_writes);
    root = sam_tree_count(root, "lds_accesses", f->sum.lds_accesses);
    root = sam_tree_count(root, "lds_passes", f->sum.lds_passes);
    root = sam_tree_count(root, "bank_conflicts", f->sum.bank_conflicts);
    root = sam_tree_set(root, "rows", rows_of(f));
    return sam_tree_set(root, "advice", advice_of(f));
}
