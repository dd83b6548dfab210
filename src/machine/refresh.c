/* SPDX-License-Identifier: Apache-2.0 */
/* Invalidates decoded code whose memory has changed between runs. */
#include "machine/page.h"

void sam_code_each_page(const struct sam_code *code, void (*visit)(void *context, uint64_t pc),
                        void *context)
{
    for (unsigned i = 0; i < PAGE_HASH; i++)
        for (const struct code_page *page = code->pages[i]; page; page = page->next)
            visit(context, page->pc);
}

/* Invalidate instructions whose words have changed. Copies words in between that were not decoded,
 * so that one comparison of the range usually suffices. */
static void refresh_page(struct sam_code *code, struct code_page *page,
                         struct sam_code_part (*look)(void *context, uint64_t pc), void *context)
{
    if (page->low >= page->high)
        return;
    struct sam_code_part part = look(context, page->pc + page->low);
    if (part.begin <= page->low && part.end >= page->high &&
        memcmp(part.page + page->low, page->bytes + page->low, page->high - page->low) == 0)
        return;
    for (uint32_t at = page->low; at < page->high; at += 4) {
        if (at + 4 > part.end)
            part = look(context, page->pc + at);
        const bool fetched = at >= part.begin && at + 4 <= part.end;
        if (fetched && memcmp(part.page + at, page->bytes + at, 4) == 0)
            continue;
        if (page->known[at / 256] >> at / 4 % 64 & 1)
            sam_code_store(code, page->pc + at, 4);
        if (fetched)
            memcpy(page->bytes + at, part.page + at, 4);
    }
}

void sam_code_refresh(struct sam_code *code,
                      struct sam_code_part (*look)(void *context, uint64_t pc), void *context)
{
    if (code->cut)
        sam_code_reset(code);
    code->cut = false;
    for (unsigned i = 0; i < PAGE_HASH; i++)
        for (struct code_page *page = code->pages[i]; page; page = page->next)
            refresh_page(code, page, look, context);
}
