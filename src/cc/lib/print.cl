/* SPDX-License-Identifier: Apache-2.0 */
/* printf: the compiler turns each directive into a call of these. Text is built in private memory
 * and appended to the print buffer at once. */
enum {
    SAM_LEFT = 1,
    SAM_PLUS = 2,
    SAM_SPACE = 4,
    SAM_ALTERNATE = 8,
    SAM_ZERO = 16,
    SAM_SIGNED = 32,
    SAM_HEX = 64,
    SAM_OCTAL = 128,
    SAM_UPPER = 256,
    SAM_CHARACTER = 512,
    SAM_POINTER_VALUE = 1024,
    SAM_EXPONENT = 2048,
    SAM_FIXED = 4096,
    SAM_GENERAL = 8192,
    SAM_HEX_FLOAT = 16384,
    SAM_ROOM = 511,
};

static uint sam_put(__private char *buffer, uint at, char c)
{
    if (at < SAM_ROOM)
        buffer[at++] = c;
    return at;
}
static uint sam_put_sign(__private char *buffer, uint at, bool minus, uint flags)
{
    return minus ? sam_put(buffer, at, '-') : flags & SAM_PLUS ? sam_put(buffer, at, '+')
                                          : flags & SAM_SPACE  ? sam_put(buffer, at, ' ') : at;
}
/* Widen the text from `start` on to `width`: zeros go in at `body`, after sign and prefix. */
static uint sam_pad(__private char *buffer, uint start, uint body, uint at, uint flags, int width)
{
    const uint wide = width > 0 ? (uint)width : 0, count = wide > at - start ? wide - (at - start) : 0;
    if (flags & SAM_LEFT) {
        for (uint i = 0; i < count && at < SAM_ROOM; i++)
            buffer[at++] = ' ';
        return at;
    }
    const uint from = flags & SAM_ZERO ? body : start;
    const uint end = at + count < SAM_ROOM ? at + count : SAM_ROOM;
    for (uint i = end; i-- > from;)
        buffer[i] = i >= from + count ? buffer[i - count] : flags & SAM_ZERO ? '0' : ' ';
    return end;
}

uint __samite_put_text(__private char *buffer, uint at, __constant const char *text, uint size)
{
    for (uint i = 0; i < size; i++)
        at = sam_put(buffer, at, text[i]);
    return at;
}
uint __samite_put_string(__private char *buffer, uint at, __constant const char *text, uint flags,
                         int width, int precision)
{
    const uint start = at;
    for (int i = 0; i != precision && text[i]; i++)
        at = sam_put(buffer, at, text[i]);
    return sam_pad(buffer, start, start, at, flags & ~(uint)SAM_ZERO, width);
}

uint __samite_put_int(__private char *buffer, uint at, ulong value, uint flags, int width, int precision)
{
    const uint start = at;
    if (flags & SAM_CHARACTER)
        return sam_pad(buffer, start, start, sam_put(buffer, at, (char)value), flags & SAM_LEFT, width);
    if (flags & SAM_POINTER_VALUE)
        flags |= SAM_HEX | SAM_ALTERNATE;
    const bool minus = flags & SAM_SIGNED && (long)value < 0;
    ulong left = minus ? -value : value;
    const char letters = flags & SAM_UPPER ? 'A' : 'a';
    char digits[24];
    int count = 0;
    for (; left; count++) {
        uint digit;
        if (flags & (SAM_HEX | SAM_OCTAL)) {
            const uint bits = flags & SAM_HEX ? 4 : 3;
            digit = (uint)left & ((1u << bits) - 1);
            left >>= bits;
        } else {
            const ulong quotient = __samite_udiv64(left, 10);
            digit = (uint)(left - quotient * 10);
            left = quotient;
        }
        digits[count] = (char)(digit < 10 ? '0' + digit : letters + digit - 10);
    }
    if (flags & SAM_SIGNED)
        at = sam_put_sign(buffer, at, minus, flags);
    if (flags & SAM_HEX && flags & SAM_ALTERNATE && (value || flags & SAM_POINTER_VALUE)) {
        at = sam_put(buffer, at, '0');
        at = sam_put(buffer, at, flags & SAM_UPPER ? 'X' : 'x');
    }
    const uint body = at;
    int zeros = (precision < 0 ? 1 : precision) - count;
    if (flags & SAM_OCTAL && flags & SAM_ALTERNATE && zeros <= 0)
        zeros = 1;
    for (; zeros > 0 && at < SAM_ROOM; zeros--)
        buffer[at++] = '0';
    while (count-- > 0)
        at = sam_put(buffer, at, digits[count]);
    return sam_pad(buffer, start, body, at, precision < 0 ? flags : flags & ~(uint)SAM_ZERO, width);
}

/* --- floats: the exact decimal digits, nine to a word; words[SAM_UNITS] has the units */
enum { SAM_WORDS = 24, SAM_UNITS = 5, SAM_BILLION = 1000000000 };

static uint sam_ten_to(uint n)
{
    uint power = 1;
    while (n-- > 0)
        power *= 10;
    return power;
}
static void sam_digits_of(__private uint *words, uint bits)
{
    const uint exponent = bits >> 23 & 255;
    for (uint i = 0; i < SAM_WORDS; i++)
        words[i] = 0;
    words[SAM_UNITS] = (bits & 0x7fffffu) | (exponent ? 0x800000u : 0);
    int shift = (int)(exponent ? exponent : 1) - 150;
    for (; shift > 0; shift -= shift < 9 ? shift : 9) {
        const uint step = shift < 9 ? (uint)shift : 9;
        uint carry = 0;
        for (int i = SAM_UNITS; i >= 0; i--) {
            const ulong value = ((ulong)words[i] << step) + carry;
            carry = (uint)__samite_udiv64(value, SAM_BILLION);
            words[i] = (uint)value - carry * SAM_BILLION;
        }
    }
    for (; shift < 0; shift += shift > -9 ? -shift : 9) {
        const uint step = shift > -9 ? (uint)-shift : 9;
        uint carry = 0;
        for (int i = SAM_UNITS; i < SAM_WORDS; i++) {
            const uint value = words[i];
            words[i] = (value >> step) + carry;
            carry = (SAM_BILLION >> step) * (value & ((1u << step) - 1));
        }
    }
}
/* The digit of 10^k. */
static uint sam_digit_at(__private const uint *words, int k)
{
    const int word = SAM_UNITS - (k >= 0 ? k / 9 : -((8 - k) / 9));
    const uint place = (uint)(k - (SAM_UNITS - word) * 9);
    return word < 0 || word >= SAM_WORDS ? 0 : words[word] / sam_ten_to(place) % 10;
}
/* The first digit that is not zero; of zero that of the units. */
static int sam_top(__private const uint *words)
{
    for (int k = 9 * SAM_UNITS + 8; k > -160; k--)
        if (sam_digit_at(words, k))
            return k;
    return 0;
}
/* Round to a multiple of 10^k, to the nearest, ties to even. */
static void sam_round_digits(__private uint *words, int k)
{
    if (k <= -160)
        return;
    uint below = sam_digit_at(words, k - 1);
    bool rest = false;
    for (int i = k - 2; i > -164 && !rest; i--)
        rest = sam_digit_at(words, i) != 0;
    if (below < 5 || (below == 5 && !rest && !(sam_digit_at(words, k) & 1)))
        return;
    int word = SAM_UNITS - (k >= 0 ? k / 9 : -((8 - k) / 9));
    uint carry = sam_ten_to((uint)(k - (SAM_UNITS - word) * 9));
    for (; carry && word >= 0; word--) {
        words[word] += carry;
        carry = words[word] >= SAM_BILLION;
        words[word] -= carry ? SAM_BILLION : 0;
    }
}

static uint sam_put_exponent(__private char *buffer, uint at, char letter, int exponent, int least)
{
    at = sam_put(buffer, at, letter);
    at = sam_put(buffer, at, exponent < 0 ? '-' : '+');
    const uint size = (uint)(exponent < 0 ? -exponent : exponent);
    for (int place = 2; place >= 0; place--)
        if (place < least || size >= sam_ten_to((uint)place))
            at = sam_put(buffer, at, (char)('0' + size / sam_ten_to((uint)place) % 10));
    return at;
}
static uint sam_put_hex_float(__private char *buffer, uint at, uint bits, uint flags, int precision)
{
    const bool normal = bits >> 23 & 255;
    uint m = (bits & 0x7fffffu) << 1;
    uint whole = normal;
    int exponent = normal ? (int)(bits >> 23 & 255) - 127 : -126;
    if (!normal && m) { /* as a double, in which it is normal */
        const uint shift = __builtin_clz(m) - 7;
        m = m << shift & 0xffffffu;
        whole = 1;
        exponent -= (int)shift;
    }
    if (!normal && whole == 0)
        exponent = 0;
    if (precision >= 0 && precision < 6) {
        const uint cut = 24 - 4 * (uint)precision, all = whole << 24 | m;
        const uint rest = all & ((1u << cut) - 1), half_unit = 1u << (cut - 1);
        const uint up = rest > half_unit || (rest == half_unit && (all >> cut & 1));
        const uint rounded = ((all >> cut) + up) << cut;
        whole = rounded >> 24;
        m = rounded & 0xffffffu;
    }
    at = sam_put(buffer, at, (char)('0' + whole));
    int count = precision;
    if (precision < 0)
        count = m ? 6 - (int)(__builtin_ctz(m) / 4) : 0;
    if (count > 0 || flags & SAM_ALTERNATE)
        at = sam_put(buffer, at, '.');
    for (int i = 0; i < count && at < SAM_ROOM; i++) {
        const uint digit = i < 6 ? m >> (20 - 4 * i) & 15 : 0;
        buffer[at++] = (char)(digit < 10 ? '0' + digit : (flags & SAM_UPPER ? 'A' : 'a') + digit - 10);
    }
    return sam_put_exponent(buffer, at, flags & SAM_UPPER ? 'P' : 'p', exponent, 1);
}

uint __samite_put_float(__private char *buffer, uint at, float value, uint flags, int width, int precision)
{
    const uint start = at, bits = as_uint(value) & 0x7fffffffu;
    const bool upper = flags & SAM_UPPER;
    at = sam_put_sign(buffer, at, as_int(value) < 0, flags);
    if (bits >= 0x7f800000u) {
        const uint text = bits > 0x7f800000u ? 0x6e616e : 0x696e66; /* "nan", "inf" */
        for (int i = 16; i >= 0; i -= 8)
            at = sam_put(buffer, at, (char)((text >> i & 255) - (upper ? 32 : 0)));
        return sam_pad(buffer, start, start, at, flags & ~(uint)SAM_ZERO, width);
    }
    if (flags & SAM_HEX_FLOAT) {
        at = sam_put(buffer, at, '0');
        const uint body = sam_put(buffer, at, upper ? 'X' : 'x');
        return sam_pad(buffer, start, body, sam_put_hex_float(buffer, body, bits, flags, precision), flags, width);
    }
    const uint body = at;
    uint words[SAM_WORDS];
    sam_digits_of(words, bits);
    precision = precision < 0 ? 6 : precision;
    bool exponent = flags & SAM_EXPONENT, strip = false;
    if (flags & SAM_GENERAL) {
        precision = precision ? precision : 1;
        sam_round_digits(words, sam_top(words) - precision + 1);
        const int top = sam_top(words);
        exponent = top < -4 || top >= precision;
        precision -= exponent ? 1 : top + 1;
        strip = !(flags & SAM_ALTERNATE);
    } else {
        sam_round_digits(words, (exponent ? sam_top(words) : 0) - precision);
    }
    const int top = sam_top(words), unit = exponent ? top : 0;
    int last = unit - precision;
    if (strip)
        while (last < unit && sam_digit_at(words, last) == 0)
            last++;
    for (int k = top > unit ? top : unit; k >= last && at < SAM_ROOM; k--) {
        buffer[at++] = (char)('0' + sam_digit_at(words, k));
        if (k == unit && (k > last || flags & SAM_ALTERNATE))
            at = sam_put(buffer, at, '.');
    }
    if (exponent)
        at = sam_put_exponent(buffer, at, upper ? 'E' : 'e', top, 2);
    return sam_pad(buffer, start, body, at, flags, width);
}

/* The machine reports an index past the end; nothing is written there. */
void __samite_put_end(__private char *buffer, uint size)
{
    __global uint *index = __samite_print_buffer();
    if (!index)
        return;
    const uint room = __samite_metadata(52);
    const uint at = __samite_atomic_add_g(index, size);
    __global char *text = (__global char *)(index + 1);
    for (uint i = 0; i < size && at + i < room - 4; i++)
        text[at + i] = buffer[i];
    __samite_print_ring();
}
