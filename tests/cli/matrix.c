/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix unit from the user's side: `samite run --cycles` and its traces, `samite
 * symbolstat`; exit codes and messages. */
#include "cli/command.h"

#include <jansson.h>

/* Two loads, a multiplication of 16 x 16 x 64 bytes, a store of part of a row that crosses a line.
 */
static const char tile[] = "        li      t0, 0x401010\n"
                           "        mcfg    zero, t0\n"
                           "        li      t1, 64\n"
                           "        mldb    m0, t1, (a0)\n"
                           "        mldb    m2, t1, (a0)\n"
                           "        mmaqa.b m4, m2, m0\n"
                           "        addi    a1, a0, 4\n"
                           "        mcfgmi  zero, 1\n"
                           "        mstw    m4, t1, (a1)\n"
                           "        li      a0, 0\n"
                           "        li      a7, 93\n"
                           "        ecall\n";

#define TILE "tile.s --machine tensor --isa tensor --map 0x10000:4096 --reg a0=0x10000 "

FIXTURE(set_up)
{
    char symbols[1001] = {0};
    make_directory();
    write_text("tile.s", tile);
    write_text("trap.s", "mcfgki a0, 3\nmldw m0, zero, (sp)\n");
    for (int i = 0; i < 1000; i++)
        symbols[i] = (char)('a' + i * i % 23);
    write_text("symbols", symbols);
    write_text("hundred", "0123456789012345678901234567890123456789"
                          "012345678901234567890123456789012345678901234567890123456789");
    return 0;
}

TEST(where_the_cycles_went)
{
    command_verb = "run";
    expect_parts(expect_success(TILE "--cycles"),
                 "matrix unit: ", "uops: 16 mma, 0 pointwise, 32 load, 2 store, 0 zeroing",
                 "bus: 128 read beats for 2048 bytes, 5 write beats for 64 bytes", "bus-bound",
                 NULL);
    json_t *root = expect_json(TILE "--cycles --stats=json"), *unit, *number;
    json_t *matrix = json_at(root, "matrix"), *units = json_at(matrix, "units");
    json_int_t cycles = number_at(matrix, "cycles");
    assert_true(cycles > 128);
    assert_int_equal(json_object_size(units), 7);
    const char *name;
    json_object_foreach(units, name, unit)
    {
        json_int_t sum = 0;
        const char *bucket;
        json_object_foreach(unit, bucket, number) sum += json_integer_value(number);
        if (sum != cycles)
            fail_msg("%s: %d of %d cycles", name, (int)sum, (int)cycles);
    }
    assert_int_equal(number_at(matrix, "macs"), 16 * 16 * 64);
    json_t *ports = json_object_get(matrix, "ports");
    assert_int_equal(json_object_size(ports), 6);
    assert_int_equal(number_at(ports, "load"), 32);
    assert_int_equal(number_at(ports, "ms1"), 16);
    json_decref(root);
    /* m0 alone misses */
    expect_parts(expect_success(TILE "--config l2_kib=64"), "L2: 18 hits, 16 misses in 64 KiB",
                 NULL);
    expect_parts(expect_success(TILE "--config mpara=1,npara=2,load_bytes=16 --mlen 512"),
                 "128 mma", NULL);
}

/* Concurrent loads and stores, so that both channels of the bus are busy, and a product. */
static void put_traffic(char *text, size_t size)
{
    SCOPED(sam_buffer) out = {0};
    sam_buffer_puts(&out, "li t0, 0x401010\nmcfg zero, t0\naddi a1, a0, 1024\naddi a2, a0, 1024\n");
    sam_buffer_puts(&out, "addi a2, a2, 1024\nmmaqa.b m4, m2, m0\n");
    for (int i = 0; i < 40; i++)
        sam_buffer_puts(&out, "mld1mb m1, (a0)\nmst1mb m3, (a1)\n");
    sam_buffer_puts(&out, "li a0, 0\nli a7, 93\necall\n");
    assert_true(out.size < size);
    memcpy(text, sam_buffer_text(&out), out.size + 1);
}

static bool is_power_of_two(const char *text)
{
    const char *slash = strchr(text, '/');
    const unsigned long value = strtoul(slash ? slash + 1 : text, NULL, 10);
    return value && (value & (value - 1)) == 0 && (!slash || strtoul(text, NULL, 10) == 1);
}

/* The labels of both axes are powers of two at equal distances, and the program does not exceed
 * its roof. */
static void expect_roofline(struct sam_buffer *out)
{
    char *save = NULL, *word, *line = strstr((char *)sam_buffer_text(out), "  roofline: ");
    assert_non_null(line);
    double done, bound;
    unsigned rows = 0, names = 0;
    for (line = strtok_r(line, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *at = strchr(line, '@'), *bar = strchr(line, '|');
        if (bar) {
            *bar = '\0';
            line[strcspn(line, "|")] = '\0';
            word = line + strspn(line, " ");
            word[strcspn(word, " ")] = '\0';
            if (!is_power_of_two(word))
                fail_msg("'%s' on an axis in powers of two", word);
            rows++;
        } else if (rows && at &&
                   sscanf(at, "@ %lf of %lf operations per cycle", &done, &bound) == 2) {
            if (done > bound + 0.05)
                fail_msg("%f operations per cycle; the roofline allows %f", done, bound);
            assert_true(rows == 9 && names >= 3);
            return;
        } else if (rows && !strchr(line, '+')) {
            char *rest = NULL;
            for (word = strtok_r(line, " ", &rest); word;
                 word = strtok_r(NULL, " ", &rest), names++)
                if (!is_power_of_two(word))
                    fail_msg("'%s' on an axis in powers of two", word);
        }
    }
    fail_msg("no line of the program's operations");
}

TEST(rooflines)
{
    static const char *const configs[] = {"slots=16", "beat_cycles=64,mem_latency=1",
                                          "mlen=128,mpara=1,npara=1,beat_cycles=3",
                                          "mpara=16,npara=16,slots=1"};
    char text[4096], words[256];
    command_verb = "run";
    put_traffic(text, sizeof text);
    write_text("traffic.s", text);
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        const bool small = strstr(configs[i], "mlen=128") != NULL;
        if (small)
            write_text("traffic.s",
                       "li t0, 0x100404\nmcfg zero, t0\nmldb m1, t1, (a0)\n"
                       "mmaqa.b m4, m2, m1\nmstb m4, t1, (a0)\nli a0, 0\nli a7, 93\necall\n");
        snprintf(words, sizeof words,
                 "traffic.s --machine tensor --isa tensor --map 0x10000:4096 --reg a0=0x10000 "
                 "--config %s",
                 configs[i]);
        SCOPED(sam_buffer) out = expect_success(words);
        expect_roofline(&out);
        write_text("traffic.s", text);
    }
}

/* Each line of a Kanata log is one of its commands; stages begin and end within their row. */
static void check_konata(char *text)
{
    unsigned rows = 0, retired = 0, open = 0;
    char *save = NULL, *line = strtok_r(text, "\n", &save);
    assert_string_equal(line, "Kanata\t0004");
    assert_string_equal(strtok_r(NULL, "\n", &save), "C=\t0");
    while ((line = strtok_r(NULL, "\n", &save))) {
        assert_non_null(strchr("ILSECR", line[0]));
        assert_int_equal(line[1], '\t');
        unsigned id = (unsigned)strtoul(line + 2, NULL, 10);
        if (line[0] != 'C')
            assert_true(id <= rows);
        rows += line[0] == 'I';
        retired += line[0] == 'R';
        open += line[0] == 'S';
        open -= line[0] == 'E';
    }
    assert_int_equal(rows, 50); /* 16 + 32 + 2 uops */
    assert_int_equal(retired, rows);
    assert_int_equal(open, 0);
}

/* The values printed in the manual, chapter 4.4. */
static void expect_signals(struct sam_buffer *vcd)
{
    static const struct {
        const char *name;
        unsigned width;
    } signals[] = {
        {"dsa_req_rready", 1},
        {"dsa_pad_req_rvalid", 1},
        {"dsa_pad_req_raddr", 40},
        {"dsa_pad_req_rlen", 2},
        {"dsa_pad_req_rid", 5},
        {"dsa_pad_resp_rready", 1},
        {"pad_dsa_resp_rvalid", 1},
        {"pad_dsa_resp_rid", 5},
        {"pad_dsa_resp_rdata", 128},
        {"pad_dsa_resp_rlast", 1},
        {"pad_dsa_req_wready", 1},
        {"dsa_pad_req_wvalid", 1},
        {"dsa_pad_req_waddr", 40},
        {"dsa_pad_req_wlen", 2},
        {"dsa_pad_req_wid", 5},
        {"dsa_pad_req_fullline", 1},
        {"dsa_pad_resp_wready", 1},
        {"pad_dsa_resp_wvalid", 1},
        {"pad_dsa_resp_wid", 5},
        {"pad_dsa_req_wdready", 1},
        {"dsa_pad_req_wdvalid", 1},
        {"dsa_pad_req_wdata", 128},
        {"dsa_pad_req_wstrb", 16},
        {"dsa_pad_req_wlast", 1},
        {"pad_dsa_req_rready", 1}, /* the manual's first one, its prefix corrected */
        /* ours: 3.1 gives only the interface, and 4.1 only busMask, of 128 / EleWidth bits */
        {"busMask_rdata", 8},
        {"busMask_wdata", 8},
        {"cmu_dsa_req_valid", 1},
        {"dsa_cmu_req_ready", 1},
        {"cmu_dsa_req_inst", 32},
        {"cmu_dsa_req_rs1", 64},
        {"cmu_dsa_req_rs2", 64},
        {"dsa_cmu_resp_valid", 1},
        {"dsa_cmu_resp_wb", 1},
        {"dsa_cmu_resp_data", 64},
    };
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        char part[64];
        if (signals[i].width == 1)
            snprintf(part, sizeof part, " %s $end\n", signals[i].name);
        else
            snprintf(part, sizeof part, " %s [%u:0] $end\n", signals[i].name, signals[i].width - 1);
        expect_part(vcd, part);
    }
}

TEST(traces)
{
    command_verb = "run";
    SCOPED(sam_buffer) out =
        expect_success(TILE "-q --konata k.log --vcd k.vcd --perfetto k.json --trace-bus=k.bus");
    assert_int_equal(out.size, 0);
    SCOPED(sam_buffer) file = read_file("k.log");
    expect_part(&file, "mmaqa.b m4, m2, m0 [16/16]");
    expect_part(&file, "\tTre\n");
    expect_part(&file, "\t1\tregister\n"); /* the multiplication waits for its sources */
    check_konata((char *)file.data);
    SCOPED(sam_buffer) wave = read_file("k.vcd");
    expect_part(&wave, "$var wire 128 * pad_dsa_resp_rdata [127:0] $end");
    expect_signals(&wave);
    expect_part(&wave, "$enddefinitions $end\n#0\n");
    json_t *root = read_json("k.json"), *event;
    size_t index, slices = 0;
    json_array_foreach(json_object_get(root, "traceEvents"), index, event)
    {
        const char *category = json_string_value(json_object_get(event, "cat"));
        slices += category && strcmp(category, "matrix") == 0;
    }
    assert_int_equal(slices, 50);
    expect_disjoint_slices(root);
    json_decref(root);
    /* the store: 60 bytes from 0x10004, then 4 in the next line */
    expect_parts(read_file("k.bus"), " read  id  0 addr 0000010000 beats 4 mask 0..31\n",
                 " write id  0 addr 0000010000 beats 4 mask 0..29", " busMask fc strobes fff0\n",
                 " addr 0000010040 beats 1 mask 30..31\n", " busMask 03 strobes 000f last\n",
                 " 00000000000000000000000000000000 busMask ff last\n", NULL);
}

/* The values of these signals in each cycle of a waveform while its clock is high. Returns the
 * number of cycles. */
enum { WAVE_CYCLES = 20000, WAVE_SIGNALS = 8 };
static size_t read_wave(const char *path, const char *const names[WAVE_SIGNALS],
                        uint64_t (*values)[WAVE_SIGNALS])
{
    SCOPED(sam_buffer) file = read_file(path);
    char codes[WAVE_SIGNALS][8] = {{0}}, *save = NULL;
    uint64_t now[WAVE_SIGNALS] = {0};
    size_t cycles = 0;
    for (char *line = strtok_r((char *)file.data, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        char code[8], name[64];
        if (sscanf(line, "$var wire %*u %7s %63s", code, name) == 2) {
            for (unsigned i = 0; i < WAVE_SIGNALS; i++)
                if (names[i] && strcmp(names[i], name) == 0)
                    memcpy(codes[i], code, sizeof code);
            continue;
        }
        const char *value = line + (*line == 'b'), *end = value + strspn(value, "01");
        if (*line == 'b' || *line == '0' || *line == '1')
            for (unsigned i = 0; i < WAVE_SIGNALS; i++)
                if (strcmp(*line == 'b' ? end + 1 : line + 1, codes[i]) == 0)
                    now[i] = strtoull(value, NULL, 2) & (*line == 'b' ? UINT64_MAX : 1);
        if (*line == '0' && line[1] == '!' && !line[2]) { /* the clock falls */
            assert_in_range(cycles, 0, WAVE_CYCLES - 1);
            memcpy(values[cycles++], now, sizeof now);
        }
    }
    for (unsigned i = 0; i < WAVE_SIGNALS; i++) {
        if (names[i] && !codes[i][0])
            fail_msg("%s: no signal %s", path, names[i]);
    }
    return cycles;
}

/* Every instruction is offered until accepted, with its registers, and answered in the next
 * cycle; the waiting cycles equal those of the report. */
TEST(port_of_instructions)
{
    static const char *const names[WAVE_SIGNALS] = {
        "cmu_dsa_req_valid", "dsa_cmu_req_ready",  "cmu_dsa_req_inst", "cmu_dsa_req_rs1",
        "cmu_dsa_req_rs2",   "dsa_cmu_resp_valid", "dsa_cmu_resp_wb",  "dsa_cmu_resp_data"};
    static const struct {
        uint32_t uop;
        uint64_t rs1, rs2;
        bool wb;
        uint64_t rd;
    } wanted[] = {
        {7, 0x401010, 0, true, 0x401010}, /* mcfg t0, t0: overwrites its source */
        {4, 0x10000, 64, false, 0},       /* mldb m0, t1, (a0) */
        {4, 0x10000, 64, false, 0},
        {0, 0, 0, false, 0},       /* mmaqa.b */
        {3, 77, 0, false, 0},      /* mmov.mx m5, s0 */
        {7, 0, 0, true, 0x401001}, /* mcfgmi a2, 1 */
        {5, 0x10004, 64, false, 0},
    };
    static uint64_t values[WAVE_CYCLES][WAVE_SIGNALS];
    command_verb = "run";
    write_text("port.s", "li t0, 0x401010\nmcfg t0, t0\nli t1, 64\nli s0, 77\n"
                         "mldb m0, t1, (a0)\nmldb m2, t1, (a0)\nmmaqa.b m4, m2, m0\n"
                         "mmov.mx m5, s0\naddi a1, a0, 4\nmcfgmi a2, 1\nmstw m4, t1, (a1)\n"
                         "li a0, 0\nli a7, 93\necall\n");
    for (unsigned slots = 1; slots <= 4; slots *= 4) {
        char words[256];
        snprintf(words, sizeof words,
                 "port.s --machine tensor --isa tensor --map 0x10000:4096 --reg a0=0x10000 "
                 "--json --vcd port.vcd --config slots=%u",
                 slots);
        SCOPED_JSON *root = expect_json(words);
        const json_t *dsa = json_at(root, "matrix/units/dsa");
        const size_t cycles = read_wave("port.vcd", names, values);
        size_t accepted = 0, waits = 0;
        bool answers = false;
        for (size_t t = 0; t < cycles; t++) {
            const uint64_t *v = values[t];
            assert_int_equal(v[5], answers);
            if (answers) {
                assert_int_equal(v[6], wanted[accepted - 1].wb);
                assert_int_equal(v[7], wanted[accepted - 1].rd);
            }
            answers = v[0] && v[1];
            waits += v[0] && !v[1];
            if (!v[0])
                continue;
            assert_in_range(accepted, 0, SAM_COUNT(wanted) - 1);
            assert_int_equal(v[2] >> 25 & 7, wanted[accepted].uop);
            if (wanted[accepted].uop != 0 && !(wanted[accepted].uop == 7 && accepted))
                assert_int_equal(v[3], wanted[accepted].rs1);
            if (wanted[accepted].rs2)
                assert_int_equal(v[4], wanted[accepted].rs2);
            accepted += answers;
        }
        assert_int_equal(accepted, SAM_COUNT(wanted));
        assert_int_equal(number_at(dsa, "busy"), accepted);
        assert_int_equal(number_at(dsa, "slots"), waits);
        assert_true(slots > 1 || waits > 0);
    }
}

/* Executed instructions one by one, and the final state. */
TEST(trace_counts_and_registers)
{
    command_verb = "run";
    expect_parts(expect_success(TILE "--trace=t.log --stats --dump-m 2 --mlen 512"),
                 "  m.mma                     1 ", "  m.config                  2 ",
                 "m loaded               2048 bytes", "m stored                 64 bytes",
                 "m macs                16384\n", "m2\n    0  00 00", "\n  960  00 00", NULL);
    expect_parts(read_file("t.log"),
                 " mldb m0, t1, (a0)                        m0 0000000000010000+64 x16 by 64\n",
                 " mmaqa.b m4, m2, m0                       m4\n",
                 " mstw m4, t1, (a1)                        0000000000010004+64\n", NULL);
    expect_runs(TILE "-q --mlen 512 --dump-m 0");
}

TEST(refused)
{
    command_verb = "run";
    expect_failure(TILE "--config mpara=3", 2, "mpara=3: expected a power of two from 1 to 16");
    expect_failure(TILE "--config mpara=8 --mlen 128", 2, "4 rows");
    expect_failure(TILE "--config speed=3", 2, "unknown parameter 'speed'");
    expect_failure(TILE "--mlen 100", 2, "128, 256 or 512");
    expect_failure(TILE "--mlen 128 --config mlen=256", 2,
                   "--mlen 128 and --config mlen=256: expected one row length");
    expect_failure(TILE "--config mlen=256 --mlen 512", 2,
                   "--mlen 512 and --config mlen=256: expected one row length");
    expect_runs(TILE "-q --config mlen=512 --mlen 512");
    expect_failure(TILE "--acc-regs 0:8", 2, "--acc-regs: acc_regs '0:8': expected all, or");
    expect_failure(TILE "--acc-regs 0:4", 1,
                   "m0 as a source: expected none of acc_regs, m0, m4; pc");
    expect_runs(TILE "-q --cycles --acc-regs 4:5:6:7");
    expect_failure("tile.s --machine tensor --isa rv64im --acc-regs 0:4", 2, "no matrix unit");
    expect_failure(TILE "--fp-order=sum", 2, "k or tree");
    expect_failure("tile.s --machine tensor --konata k2.log", 2, "");
    expect_failure("tile.s --machine tensor --isa rv64im_zicsr --dump-m 0", 2, "no matrix unit");
    expect_failure("trap.s --machine tensor --isa tensor", 1, "illegal instruction");
    assert_false(exists("k2.log"));
}

/* Port widths follow the parameters; flags rise with the symbol that causes them. */
static void expect_waveform_of_symbols(void)
{
    static const char *const names[WAVE_SIGNALS] = {
        "data_in_valid", "data_in_ready", "data_in_bits", "bad_symbol", "overflow", "start"};
    static uint64_t values[WAVE_CYCLES][WAVE_SIGNALS];
    expect_parts(read_file("s.vcd"), " data_in_bits [3:0] $end\n", " freq_out_bits [2:0] $end\n",
                 " bad_symbol $end\n", NULL);
    unsigned counts[5] = {0};
    bool bad = false, full = false;
    const size_t cycles = read_wave("s.vcd", names, values);
    for (size_t t = 0; t < cycles; t++) {
        const uint64_t *v = values[t];
        if (v[0] && v[1]) {
            bad |= v[2] >= 5;
            full |= v[2] < 5 && ++counts[v[2]] > 7;
        }
        assert_int_equal(v[3], bad);
        assert_int_equal(v[4], full);
    }
    assert_true(bad && full);
}

TEST(symbol_counts)
{
    unsigned counts[256] = {0};
    command_verb = "symbolstat";
    SCOPED(sam_buffer) file = read_file("symbols");
    for (size_t i = 0; i < file.size; i++)
        counts[file.data[i]]++;
    for (int stall = 0; stall <= 60; stall += 60) {
        FREED char *words = formatted("--json symbols --depth 256 --stall %d", stall);
        SCOPED_JSON *root = expect_json(words);
        json_t *list = json_object_get(root, "counts");
        assert_int_equal(json_array_size(list), 256);
        for (size_t i = 0; i < 256; i++)
            assert_int_equal(json_integer_value(json_array_get(list, i)), counts[i]);
        json_int_t cycles = number_at(root, "cycles");
        if (stall)
            assert_true(cycles > 2 * (1000 + 256));
        else
            assert_int_equal(cycles, 256 + 1000 + 1 + 256 + 1);
    }
    expect_parts(expect_success("hundred --sym-width 4 --depth 16 --vcd s.vcd"),
                 "100 symbols in 134 cycles: clear 16, count 101, drain 16, done 1", NULL);
    /* #268: 134 cycles after the cycle in which start rises */
    expect_parts(read_file("s.vcd"), "$scope module symbolstat $end", "#268\n", NULL);
    expect_parts(expect_success("hundred --sym-width 4 --depth 5 --wt-width 3 --vcd s.vcd"),
                 "not below the depth", "a counter saturated", NULL);
    expect_waveform_of_symbols();
    /* from the first cycle of CLEAR to the one before done; the unit is idle between the two */
    for (unsigned flush = 1; flush <= 134; flush += 7) {
        FREED char *words = formatted("hundred --sym-width 4 --depth 16 --flush-at %u", flush);
        char line[96];
        snprintf(line, sizeof line,
                 "100 symbols in %u cycles: clear %u, count %u, drain %u, done %u", flush + 134,
                 flush < 17 ? 16 + flush : 32,
                 101 + (flush < 17    ? 0
                        : flush < 118 ? flush - 16
                                      : 101),
                 16 + (flush < 118   ? 0
                       : flush < 134 ? flush - 117
                                     : 16),
                 1 + (unsigned)(flush == 134));
        expect_parts(expect_success(words), line, "    0         10\n", NULL);
    }
    expect_failure("hundred --sym-width 4 --depth 16 --flush-at 135", 2,
                   "flush in cycle 135: done was in cycle 134");
    expect_failure("symbols --sym-width 17", 2, "1 to 16");
    expect_failure("symbols --depth 0", 2, "--depth 0");
    expect_failure("symbols --stall 91", 2, "0 to 90");
    expect_failure("nothing", 2, "nothing");
}

TEST_GROUP(set_up, remove_directory)
