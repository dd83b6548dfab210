/* SPDX-License-Identifier: Apache-2.0 */
/* Typical embedded work: sort a linked list, scan text with a state machine, and compute a checksum
 * over everything. */
enum { NODES = 200, DEFAULT_ROUNDS = 3000 };

struct node {
    struct node *next;
    unsigned key;
};

static struct node nodes[NODES];
static const char text[] = "12 -7 +3.5 0x1f 9e-3 . 4.2e7 abc 100000 -0.5 1e +x 77 8.8.8 3e+5 ";

static unsigned crc16(unsigned crc, unsigned value)
{
    for (int bit = 0; bit < 16; bit++, value >>= 1)
        crc = (crc ^ value) & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
    return crc;
}

/* Merge sort of a list, bottom up by splitting in halves. */
static struct node *sort(struct node *list, int count)
{
    struct node head, *tail = &head, *second = list;
    if (count < 2) {
        if (list)
            list->next = 0;
        return list;
    }
    for (int i = 0; i < count / 2; i++)
        second = second->next;
    second = sort(second, count - count / 2);
    list = sort(list, count / 2);
    while (list && second) {
        struct node **from = list->key <= second->key ? &list : &second;
        tail->next = *from;
        tail = *from;
        *from = tail->next;
    }
    tail->next = list ? list : second;
    return head.next;
}

enum state { BLANK, SIGN, WHOLE, POINT, FRACTION, E, E_SIGN, POWER, BAD, STATES };

static enum state step(enum state state, char c)
{
    if (c == ' ')
        return BLANK;
    int digit = c >= '0' && c <= '9', sign = c == '+' || c == '-';
    switch (state) {
    case BLANK: return sign ? SIGN : digit ? WHOLE : c == '.' ? POINT : BAD;
    case SIGN: return digit ? WHOLE : c == '.' ? POINT : BAD;
    case WHOLE: return digit ? WHOLE : c == '.' ? POINT : c == 'e' ? E : BAD;
    case POINT:
    case FRACTION: return digit ? FRACTION : c == 'e' ? E : BAD;
    case E: return sign ? E_SIGN : digit ? POWER : BAD;
    case E_SIGN:
    case POWER: return digit ? POWER : BAD;
    default: return BAD;
    }
}

static unsigned scan(unsigned crc)
{
    unsigned ends[STATES] = {0};
    enum state state = BLANK;
    for (const char *c = text; *c; c++) {
        enum state next = step(state, *c);
        if (next == BLANK)
            ends[state]++;
        state = next;
    }
    for (int i = 0; i < STATES; i++)
        crc = crc16(crc, ends[i]);
    return crc;
}

int run(unsigned rounds)
{
    int wrong = 0;
    unsigned first = 0, seed = 1;
    for (rounds = rounds ? rounds : DEFAULT_ROUNDS; rounds; rounds--) {
        seed = 1;
        for (int i = 0; i < NODES; i++) {
            seed = seed * 1103515245 + 12345;
            nodes[i] = (struct node){i + 1 < NODES ? &nodes[i + 1] : 0, seed >> 16 & 0x7fff};
        }
        unsigned crc = 0, last = 0, count = 0;
        for (struct node *n = sort(nodes, NODES); n; n = n->next) {
            wrong |= n->key < last;
            last = n->key;
            count++;
            crc = crc16(crc, n->key);
        }
        crc = scan(crc);
        first = first ? first : crc;
        wrong |= crc != first || count != NODES;
    }
    return wrong;
}
