/* SPDX-License-Identifier: Apache-2.0 */
/* CONCAT, MERGE and XPOSE, an element at a time (r2 3.4, 3.5; rulings 3). */
#include "tensor_ref.h"

#include <string.h>

static size_t at3(const struct tref_shape *s, const unsigned i[3])
{
    return ((size_t)i[0] * s->dim[1] + i[1]) * s->dim[2] + i[2];
}

static bool bit(uint32_t mask, unsigned i)
{
    return mask >> i & 1;
}

bool tref_concat(struct tref *t, const struct tref_insn *insn)
{
    struct tref_shape s;
    if (!tref_shape(t, &s) || !t->written[TREF_CONCAT_1] || !t->written[TREF_CONCAT_2])
        return false;
    unsigned along = s.dim[insn->dim], valid = 0;
    if (along > 32)
        return false;
    for (unsigned j = 0; j < along; j++)
        valid += (unsigned)bit(t->csr[TREF_CONCAT_1], j) + bit(t->csr[TREF_CONCAT_2], j);
    if (valid > along)
        return false;

    uint8_t result[1024];
    memcpy(result, t->tl[insn->tld], sizeof result);
    for (size_t i = 0; i < (size_t)s.dim[0] * s.dim[1] * s.dim[2]; i++)
        tref_put(result, s.type->bits, i, 0);
    unsigned place = 0;
    for (unsigned n = 0; n < 2; n++)
        for (unsigned j = 0; j < along; j++) {
            if (!bit(t->csr[n == 0 ? TREF_CONCAT_1 : TREF_CONCAT_2], j))
                continue;
            const uint8_t *source = t->tl[n == 0 ? insn->tls1 : insn->tls2];
            unsigned from[3], to[3];
            for (from[0] = 0; from[0] < s.dim[0]; from[0]++)
                for (from[1] = 0; from[1] < s.dim[1]; from[1]++)
                    for (from[2] = 0; from[2] < s.dim[2]; from[2]++) {
                        if (from[insn->dim] != j)
                            continue;
                        memcpy(to, from, sizeof to);
                        to[insn->dim] = place;
                        tref_put(result, s.type->bits, at3(&s, to),
                                 tref_get(source, s.type->bits, at3(&s, from)));
                    }
            place++;
        }
    tref_set_tl(t, insn->tld, result);
    return true;
}

bool tref_merge(struct tref *t, const struct tref_insn *insn)
{
    struct tref_shape s;
    if (!tref_shape(t, &s) || !t->written[TREF_CONCAT_1] || s.dim[insn->dim] > 32)
        return false;
    uint8_t result[1024];
    memcpy(result, t->tl[insn->tld], sizeof result);
    unsigned i[3];
    for (i[0] = 0; i[0] < s.dim[0]; i[0]++)
        for (i[1] = 0; i[1] < s.dim[1]; i[1]++)
            for (i[2] = 0; i[2] < s.dim[2]; i[2]++) {
                bool first = bit(t->csr[TREF_CONCAT_1], i[insn->dim]);
                const uint8_t *source = t->tl[first ? insn->tls1 : insn->tls2];
                tref_put(result, s.type->bits, at3(&s, i),
                         tref_get(source, s.type->bits, at3(&s, i)));
            }
    tref_set_tl(t, insn->tld, result);
    return true;
}

static size_t at4(const unsigned dim[4], const unsigned i[4])
{
    return (((size_t)i[0] * dim[1] + i[1]) * dim[2] + i[2]) * dim[3] + i[3];
}

static void swap(unsigned v[4], const unsigned which[2])
{
    unsigned kept = v[which[0]];
    v[which[0]] = v[which[1]];
    v[which[1]] = kept;
}

bool tref_xpose(struct tref *t, const struct tref_insn *insn)
{
    unsigned bits = insn->bits, dim[4];
    uint64_t product = 1;
    if (bits == 0) {
        const struct tref_type *type = tref_current_type(t);
        if (!type)
            return false;
        bits = type->bits;
    }
    for (unsigned d = 0; d < 4; d++) {
        dim[d] = t->x[insn->rs] >> (8 * d) & 255;
        product *= dim[d];
    }
    if (product * bits != 2048 * 8 || dim[0] % 2 || insn->tls1 == insn->tls2)
        return false;

    uint8_t tensor[2048], result[2048];
    memcpy(tensor, t->tl[insn->tls1], 1024);
    memcpy(tensor + 1024, t->tl[insn->tls2], 1024);
    unsigned turned[4], from[4], to[4];
    memcpy(turned, dim, sizeof turned);
    swap(turned, insn->swap);
    for (from[0] = 0; from[0] < dim[0]; from[0]++)
        for (from[1] = 0; from[1] < dim[1]; from[1]++)
            for (from[2] = 0; from[2] < dim[2]; from[2]++)
                for (from[3] = 0; from[3] < dim[3]; from[3]++) {
                    memcpy(to, from, sizeof to);
                    swap(to, insn->swap);
                    tref_put(result, bits, at4(turned, to), tref_get(tensor, bits, at4(dim, from)));
                }
    tref_set_tl(t, insn->tls1, result);
    tref_set_tl(t, insn->tls2, result + 1024);
    return true;
}
