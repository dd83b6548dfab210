/* SPDX-License-Identifier: Apache-2.0 */
/* The remote protocol on launches: inspection and changes, packet by packet. Execution:
 * running.c; malformed packets: framing.c; gdb itself: multiarch.txt. */

#include "test.h"

#include "served.h"

TEST(handshake)
{
    SCOPED_SERVED *s = open_served(two_warps, 2, 3);
    TALK(s,
         {"qSupported:multiprocess+;swbreak+;hwbreak+;xmlRegisters=i386",
          "PacketSize=4000;QStartNoAckMode+;vContSupported+;swbreak+;hwbreak+;"
          "qXfer:features:read+;qXfer:threads:read+;ReverseStep+;ReverseContinue+"},
         {"vMustReplyEmpty", ""}, {"vCont?", "vCont;c;C;s;S;t;r"}, {"Hg0", "OK"}, {"qTStatus", ""},
         {"?", "T05thread:1;20:00000080;02:*;08:*;"}, {"qC", "QC1"}, {"qAttached", "0"},
         {"qSymbol::", "OK"}, {"qOffsets", ""}, {"!", ""}, {"", ""}, {"qfThreadInfo", "m1,2"},
         {"qsThreadInfo", "l"}, {"T1", "OK"}, {"T2", "OK"}, {"T3", "E03"}, {"T0", "OK"},
         {"Tx", "E03"}, {"T", "E03"}, {"Hg2", "OK"}, {"qC", "QC2"}, {"Hg-1", "OK"}, {"Hg3", "E03"},
         {"Hgffffffffffffffff", "E03"}, {"Hx1", "E01"}, {"H", "E01"}, {"Hc1", "OK"},
         {"qThreadExtraInfo,2", "776f726b67726f757020302077617270203"
                                "12c2038206f662038206c616e6573"},
         {"qThreadExtraInfo,9", "E03"});
}

/* A document in parts of `size` equals the document read at once. */
TEST(transfers)
{
    static const char *const objects[] = {"qXfer:features:read:target.xml", "qXfer:threads:read:"};
    for (size_t i = 0; i < SAM_COUNT(objects); i++) {
        SCOPED_SERVED *s = open_served(two_warps, 2, 1);
        struct client *c = &s->client;
        char request[96];
        SCOPED(sam_buffer) whole = {0}, parts = {0};
        const size_t all = 40000, part = 37;
        const char *answer;
        size_t size;
        for (size_t at = 0; at < all; at += 8000) {
            snprintf(request, sizeof request, "%s:%zx,1f40", objects[i], at);
            client_packet(c, request);
        }
        for (size_t at = 0; at < all; at += part) {
            snprintf(request, sizeof request, "%s:%zx,%zx", objects[i], at, part);
            client_packet(c, request);
        }
        client_packet(c, "k");
        serve(s);
        for (size_t at = 0; at < all; at += 8000) {
            answer = client_answer(c, &size);
            assert_true(answer && (answer[0] == 'm' || answer[0] == 'l'));
            assert_int_equal(answer[0] == 'm', size - 1 == 8000);
            sam_buffer_append(&whole, answer + 1, size - 1);
        }
        while ((answer = client_answer(c, &size)))
            sam_buffer_append(&parts, answer + 1, size - 1);
        assert_string_equal(sam_buffer_text(&whole), sam_buffer_text(&parts));
        if (i == 0) {
            static const char *const must_have[] = {
                "<architecture>riscv:rv32</architecture>",
                "<osabi>none</osabi>",
                "<reg name=\"zero\" bitsize=\"32\" regnum=\"0\" type=\"int\"/>",
                "<reg name=\"fp\" bitsize=\"32\" regnum=\"8\" type=\"data_ptr\"/>",
                "<reg name=\"pc\" bitsize=\"32\" regnum=\"32\" type=\"code_ptr\"/>",
                "<reg name=\"x63\" bitsize=\"32\" regnum=\"64\" type=\"int\" group=\"general\"/>",
                "<reg name=\"mask\" bitsize=\"32\" regnum=\"65\"",
                "<vector id=\"lanes_f32\" type=\"ieee_single\" count=\"8\"/>",
                "<reg name=\"v0\" bitsize=\"256\" regnum=\"68\" type=\"lanes\" group=\"vector\"/>",
                "<reg name=\"v255\" bitsize=\"256\" regnum=\"323\"",
                "<reg name=\"wid\"",
            };
            for (size_t k = 0; k < SAM_COUNT(must_have); k++)
                if (!strstr(sam_buffer_text(&whole), must_have[k]))
                    fail_msg("no %s", must_have[k]);
        } else {
            assert_string_equal(
                sam_buffer_text(&whole),
                "<?xml version=\"1.0\"?>\n<threads>\n"
                "<thread id=\"1\" name=\"workgroup 0 warp 0\">8 of 8 lanes</thread>\n"
                "<thread id=\"2\" name=\"workgroup 0 warp 1\">8 of 8 lanes</thread>\n</threads>\n");
        }
    }
    struct served *s = open_served(two_warps, 2, 1);
    TALK(s, {"qXfer:features:read:other.xml:0,100", ""},
         {"qXfer:features:read:target.xml:0", "E01"}, {"qXfer:features:read:target.xml:0,", "E01"},
         {"qXfer:features:read:target.xml:,5", "E01"},
         {"qXfer:features:read:target.xml:ffffffffffffffff,ffffffffffffffff", "l"},
         {"qXfer:features:write:target.xml:0:", ""}, {"qXfer:exec-file:read::0,100", ""},
         {"qXfer:", ""}, {"qXfer:threads:read::0,5x", "E01"});
    close_served(s);
}

TEST(registers)
{
    SCOPED_SERVED *s = open_served(two_warps, 2, 1);
    TALK(s, {"p20", "00000080"}, {"p0", "00000000"}, {"P5=78563412", "OK"}, {"p5", "78563412"},
         {"P0=01000000", "OK"}, {"p0", "00000000"}, {"P28=efbeadde", "OK"},
         {"p28", "efbeadde"}, /* x39 */
         {"g", "0000000000000000*"}, {"p41", "ff000000"}, {"p42", "00000000"},
         {"P41=0f000000", "OK"}, {"p41", "0f000000"}, {"P41=00010000", "E16"},
         {"P42=01000000", "E16"}, {"P43=05000000", "OK"}, {"p43", "05000000"},
         {"P43=08000000", "E16"},
         {"P46=0100000002000000030000000400000005000000060000000700000008000000", "OK"},
         {"p46", "0100000002000000030000000400000005000000060000000700000008000000"},
         {"P46=01", "E01"}, {"P20=04000080", "OK"}, {"p20", "04000080"}, {"P20=02000080", "E16"},
         {"pffff", "E01"}, {"p", "E01"}, {"pq", "E01"}, {"p5x", "E01"},
         {"p11111111111111111", "E01"}, {"P5", "E01"}, {"P5=", "E01"}, {"P5=7856341", "E01"},
         {"P5=785634zz", "E01"}, {"P5=7856341200", "E01"}, {"Pffff=00000000", "E01"}, {"Hg2", "OK"},
         {"p5", "00000000"}, {"p20", "00000080"});
}

/* Register `number` in the digits of all registers. */
static void put(char *all, unsigned number, const char digits[8])
{
    for (unsigned i = 0; i < 8; i++)
        all[8 * number + i] = digits[i];
}

/* Write back the registers that were read, changed in a few places. */
TEST(all_registers)
{
    SCOPED_SERVED *s = open_served(two_warps, 1, 1);
    char all[1 + 68 * 8 + 1] = "G", answer[68 * 8 + 1];
    memset(all + 1, '0', 68 * 8);
    put(all + 1, 7, "44332211");
    put(all + 1, 32, "08000080"); /* pc */
    put(all + 1, 65, "ff000000"); /* mask */
    memcpy(answer, all + 1, sizeof answer);
    TALK(s, {"P7=00000000", "OK"}, {all, "OK"}, {"g", answer}, {"p7", "44332211"}, {"G", "E01"},
         {"G00", "E01"}, {"Gzz", "E01"}, {"G0", "E01"});
}

TEST(memory)
{
    SCOPED_SERVED *s = open_served(two_warps, 2, 2);
    FREED char *end = formatted("m%x,20", DATA + DATA_SIZE - 4);
    TALK(s, {"X90000020,4:}$#\x03", "OK"}, {"m90000020,4", "7d242303"}, {"X90000020,0:", "OK"},
         {"M90000000,4:01020304", "OK"}, {"m90000000,4", "01020304"}, {"m90000001,2", "0203"},
         {"m90000000,0", ""}, {end, "00000000"}, {"m80000000,4", "????????"}, {"m10,4", "E0e"},
         {"m", "E01"}, {"m90000000", "E01"}, {"m90000000,", "E01"}, {"m,4", "E01"},
         {"m90000000,4x", "E01"}, {"mffffffffffffffff,4", "E0e"}, {"mfffffffe,4", "E0e"},
         {"M90000000,4:0102", "E01"}, {"M90000000,4:01020304ff", "E01"},
         {"M90000000,ffffffffffffffff:00", "E01"}, {"M10,1:00", "E0e"}, {"X90000000,4:ab", "E01"},
         {"X90000000,fffff:ab", "E01"}, {"M70000000,4:deadbeef", "OK"}, {"m70000000,4", "deadbeef"},
         {"m90000000,4", "01020304"});
}

TEST(lanes)
{
    SCOPED_SERVED *s = open_served(two_warps, 2, 1);
    struct client *c = &s->client;
    client_packet(c, "Z0,80000030,4");
    client_packet(c, "qRcmd,6c616e652035"); /* lane 5 */
    client_packet(c, "Z0,80000038,4");
    client_packet(c, "c");                      /* not at 30, which only lanes 0 to 3 reach */
    client_packet(c, "qRcmd,6c616e6573");       /* lanes */
    client_packet(c, "qRcmd,737461636b");       /* stack */
    client_packet(c, "qRcmd,6c616e6520616c6c"); /* lane all */
    client_packet(c, "Hg2");
    client_packet(c, "c");
    client_packet(c, "qRcmd,6c616e6573");
    client_packet(c, "k");
    serve(s);
    client_expect(c, "OK");
    client_expect_console(c, "breakpoints stop where lane 5 is active; $lane is 5\n");
    client_expect(c, "OK");
    client_expect(c, "OK");
    client_expect(c, "T05thread:1;20:38000080;*");
    client_expect_console(c, "workgroup 0 warp 0: active lanes 4-7 of 8; breakpoints stop where "
                             "this lane is active: 5\n");
    client_expect(c, "OK");
    client_expect_console(c,
                          "workgroup 0 warp 0: SIMT stack of 2, active lanes 4-7\n"
                          "  1: lanes 0-3 continue at 0x80000030 (*), join at 0x80000038 (high)\n"
                          "  0: lanes 0-7 continue at 0x80000038 (high), join at 0x80000038 "
                          "(high)\n");
    client_expect(c, "OK");
    client_expect_console(c, "breakpoints stop for any lane\n");
    client_expect(c, "OK");
    client_expect(c, "OK");
    client_expect(c, "T05thread:1;20:30000080;*");
    client_expect_console(c, "workgroup 0 warp 0: active lanes 0-3 of 8; breakpoints stop for any "
                             "lane\n");
    client_expect(c, "OK");
    client_expect_end(c);
}

TEST(monitor)
{
    static const struct {
        const char *command, *said;
    } rows[] = {
        {"warps", "workgroup 0 warp 0: 8 of 8 lanes at 0x80000000 (*), 0 instructions\n"
                  "workgroup 0 warp 1: *"},
        {"help", "help *warps *lanes *stack *lane L|all *workgroup N *"},
        {"lane 8", "lane '8': expected 0 to 7, or all\n"},
        {"lane", "monitor lane: expected one argument, L|all\n"},
        {"stack 5", "monitor stack: expected no argument\n"},
        {"stack", "workgroup 0 warp 0: SIMT stack of 0, active lanes 0-7\n"},
        {"", "monitor command '': expected one of these\nhelp*"},
        {"la", "monitor command 'la': expected one of these\nhelp*"},
        {"workgroup 9", "workgroup 9: not in this session\n"},
        {"workgroup x", "workgroup 'x': expected its number\n"},
        {"workgroup 1", "workgroup 1: its warps are threads now, from thread id 3\n"},
        {"a\33[31mb", "monitor command 'a [[]31mb': expected one of these\n*"},
    };
    SCOPED_SERVED *s = open_served(two_warps, 2, 3);
    struct client *c = &s->client;
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        char packet[128] = "qRcmd,";
        for (const char *p = rows[i].command; *p; p++)
            snprintf(packet + strlen(packet), 3, "%02x", (uint8_t)*p);
        client_packet(c, packet);
    }
    client_packet(c, "qfThreadInfo");
    client_packet(c, "qRcmd,6");
    client_packet(c, "qRcmd,zz");
    client_packet(c, "k");
    serve(s);
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        client_expect_console(c, rows[i].said);
        client_expect(c, "OK");
    }
    client_expect(c, "m1,2,3,4");
    client_expect(c, "E01");
    client_expect(c, "E01");
}

/* Only the program can be read, and nothing can be written. */
TEST(files)
{
    static const char program[] = "\177ELF$#}*\n and so on";
    SCOPED_SERVED *s = open_served(two_warps, 1, 1);
    struct client *c = &s->client;
    size_t size;
    s->options.program = program;
    s->options.program_size = sizeof program - 1;
    s->options.program_name = "a.elf";
    static const char *const talks[][2] = {
        {"qSupported", "*;qXfer:exec-file:read+*"},
        {"qXfer:exec-file:read::0,100", "l/a.elf"},
        {"qXfer:exec-file:read:a410:1,2", "ma."},
        {"qXfer:exec-file:read:zz:0,2", "E01"},
        {"vFile:setfs:0", "F0"},
        {"vFile:pread:3,10,0", "F-1,09"},
        {"vFile:open:2f612e656c66,0,0", "F3"}, /* /a.elf */
        {"vFile:open:2f612e656c66,1,0", "F-1,1e"},
        {"vFile:open:2f6574632f706173737764,0,0", "F-1,02"}, /* /etc/passwd */
        {"vFile:open:2f612e656c6,0,0", "F-1,16"},
        {"vFile:open:", "F-1,16"},
        {"vFile:open:2f", "F-1,16"},
        {"vFile:pread:3", "F-1,16"},
        {"vFile:pread:4,1,0", "F-1,09"},
        {"vFile:pwrite:3,0,ab", ""},
        {"vFile:unlink:2f612e656c66", ""},
        {"vFile:", ""},
    };
    for (size_t i = 0; i < SAM_COUNT(talks); i++)
        client_packet(c, talks[i][0]);
    client_packet(c, "vFile:pread:3,100,0");
    client_packet(c, "vFile:pread:3,4,5");
    client_packet(c, "vFile:pread:3,4,ffffffffffffffff");
    client_packet(c, "vFile:fstat:3");
    client_packet(c, "vFile:close:3");
    client_packet(c, "vFile:close:3");
    client_packet(c, "k");
    serve(s);
    for (size_t i = 0; i < SAM_COUNT(talks); i++)
        client_expect(c, talks[i][1]);
    const char *answer = client_answer(c, &size);
    assert_memory_equal(answer, "F13;", 4);
    assert_int_equal(size, 4 + sizeof program - 1);
    assert_memory_equal(answer + 4, program, sizeof program - 1);
    client_expect(c, "F4;#}[*]\n");
    client_expect(c, "F0;");
    answer = client_answer(c, &size);
    assert_int_equal(size, 4 + 64);
    assert_memory_equal(answer, "F40;", 4);
    assert_memory_equal(answer + 4 + 28, "\0\0\0\0\0\0\0\x13", 8);
    client_expect(c, "F0");
    client_expect(c, "F-1,09");
    client_expect_end(c);
}

TEST(refusals)
{
    SCOPED_SERVED *s = open_served(two_warps, 1, 1);
    struct sam_gdb *gdb;
    struct sam_gdb_result result;
    const struct sam_gdb_transport transport = client_transport(&s->client);
    struct sam_gdb_options options = {.size = sizeof options, .program = "x", .program_size = 1};
    refuses(sam_gdb_open, NULL, NULL, &gdb);
    refuses(sam_gdb_open, &transport, &options, &gdb);
    refuses(sam_gdb_open, &transport, NULL, NULL);
    refuses(sam_gdb_serve, NULL, NULL, true, &result);
    succeeds(sam_gdb_open, &transport, NULL, &gdb);
    refuses(sam_gdb_serve, gdb, NULL, true, &result);
    succeeds(sam_session_open, s->program.gpu, &s->program.launch, NULL, &s->session);
    succeeds(sam_session_run, s->session, NULL, NULL);
    refuses(sam_gdb_serve, gdb, s->session, true, &result);
    sam_gdb_close(gdb);
    sam_gdb_close(NULL);
}
