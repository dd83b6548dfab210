/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands: every name, help, completion; and the errors of each. */

#include "cli/debugger_test.h"

static const char kernel[] = ".global k\n"
                             "k:  lw t0, 0(a0)\n"
                             "    vid.v v1\n"
                             "    vsll.vi v1, v1, 2\n"
                             "    vadd.vx v1, v1, t0\n"
                             "    vsw12.v v1, 0(v1)\n"
                             "    ret\n"
                             "kernel_end: .word 0\n"
                             ".equ seven, 7\n";

FIXTURE(setup)
{
    begin(kernel);
    return 0;
}

FIXTURE(teardown)
{
    finish();
    return 0;
}

/* Invalid arguments of each command, and the messages. */
static const struct {
    const char *command, *part;
} refusals[] = {
    {"frobnicate", "unknown command 'frobnicate' (help)"},
    {"brake", "unknown command 'brake'; did you mean 'break'?"},
    {"re", "ambiguous command 're': expected one of reconverge, release, rstep,"},
    {"=", "unknown command '='"},
    {"run now", "unexpected 'now'"},
    {"continue 0", "the count is 0: expected 1 or more"},
    {"continue -1", "the count is -1"},
    {"stepi 18446744073709551615",
     "the count is 18446744073709551615: expected at most 9223372036"},
    {"stepi 18446744073709551616", "'18446744073709551616': expected a number of up to 64 bits"},
    {"stepi 0x10000000000000000", "expected a number of up to 64 bits"},
    {"watch 99999999999999999999", "expected a number of up to 64 bits"},
    {"watch 0x80000000:4294967296", "size 4294967296: expected 1 to 4294967295 bytes"},
    {"continue 1 2", "unexpected '2'"},
    {"continue v1", "the count is a vector"},
    {"continue 1.5", "the count is a floating-point number"},
    {"step x", "no register, CSR or symbol 'x'"},
    {"stepi 0", "expected 1 or more"},
    {"next )", "')': expected a value"},
    {"nexti 1 +", "the expression ends"},
    {"until nowhere", "no symbol 'nowhere'"},
    {"until k k", "unexpected 'k'"},
    {"finish 2", "unexpected '2'"},
    {"reconverge", "the SIMT stack is empty"},
    {"reconverge 1", "unexpected '1'"},
    {"release 1", "unexpected '1'"},
    {"scope everything", "scope 'everything': expected all, workgroup or warp"},
    {"rstep 0", "expected 1 or more"},
    {"rstepi -3", "expected 1 or more"},
    {"rcontinue 2", "unexpected '2'"},
    {"goto", "expected a time, now 0"},
    {"goto -1", "time -1: expected one from 0 on"},
    {"goto 1000", "1000"},
    {"record 5", "unexpected '5'"},
    {"snapshot 5", "unexpected '5'"},
    {"restore", "expected the number of a snapshot"},
    {"restore 9", "no snapshot 9"},
    {"restore -9", "no snapshot -9"},
    {"break nowhere", "no symbol 'nowhere'"},
    {"break kernel_ent", "no symbol 'kernel_ent'; did you mean 'kernel_end'?"},
    {"break k.s:99", "k.s: no code from line 99 on"},
    {"break other.s:3", "other.s: the program has no code of such a file"},
    {"break *", "the expression ends"},
    {"break *0x80000001", "multiple of 4"},
    {"break k warp 2", "warp 2: expected 0 to 1"},
    {"break k lane 4", "lane 4: expected 0 to 3"},
    {"break k workgroup 2", "workgroup 2: expected 0 to 1"},
    {"break k warp", "the expression ends"},
    {"break k if", "if: expected a condition"},
    {"break k if (", "the expression ends"},
    {"break k if v1[0] = 3", "unexpected '= 3'"},
    {"break k if nobody", "no register, CSR or symbol 'nobody'"},
    {"break k when v1", "unexpected 'when v1'"},
    {"tbreak nowhere", "no symbol 'nowhere'"},
    {"watch", "nothing to watch"},
    {"watch v1", "is a vector"},
    {"watch 1.5", "expected an address"},
    {"watch 0x90000000:0", "size 0: expected 1 to 4294967295 bytes"},
    {"watch 0x90000000:-4", "size -4"},
    {"watch 0x90000000 lane 1", "unexpected 'lane 1'"},
    {"watch 0x90000000:4 if", "if: expected a condition"},
    {"rwatch nowhere", "no register, CSR or symbol 'nowhere'"},
    {"awatch *0", "0x0"},
    {"delete 5", "no break- or watchpoint 5"},
    {"delete x", "'x': expected numbers, as 2 or 3-5"},
    {"delete 3-1", "'3-1': expected numbers"},
    {"delete 1-", "expected numbers"},
    {"disable 5", "no break- or watchpoint 5"},
    {"enable 5", "no break- or watchpoint 5"},
    {"condition", "expected the number of a break- or watchpoint"},
    {"condition x 1", "'x': expected the number"},
    {"condition 7 1", "no break- or watchpoint 7"},
    {"ignore", "expected the number"},
    {"ignore 7 1", "no break- or watchpoint 7"},
    {"print", "the history has no such value"},
    {"print/y 1", "'/y': expected / and one of"},
    {"print/xx 1", "'/xx': expected"},
    {"print 1 2", "unexpected '2'"},
    {"print x0 = 1", "'=': expected ==; set changes values"},
    {"print $7", "$7: the history has no such value"},
    {"print $nothing", "set $nothing = ... makes one"},
    {"print v256", "no register, CSR or symbol 'v256'"},
    {"print x64", "no register, CSR or symbol 'x64'"},
    {"print *0x1000", "0x00001000: not in one buffer"},
    {"print tl0", "no register, CSR or symbol 'tl0'"},
    {"print private(-1)", "expected an offset of 32 bits"},
    {"x/99999999 k", "count 99999999: expected up to"},
    {"x/q k", "'q': expected a format"},
    {"x 1 2", "unexpected '2'"},
    {"x v1", "the address is a vector"},
    {"x 2.5", "expected an address"},
    {"x/4xw 0x10", "0x00000010: not in one buffer"},
    {"x/s 0x10", "0x00000010: not in one buffer"},
    {"set", "expected PLACE = EXPRESSION"},
    {"set x5", "the end: expected = and the new value"},
    {"set x5 + 1 = 3", "not something that can be set"},
    {"set 5 = 3", "not something that can be set"},
    {"set nobody = 3", "no register, CSR or symbol 'nobody'"},
    {"set $ = 3", "the history has no such value"},
    {"set x5 = v1", "the new value is a vector"},
    {"set x5 = ", "the expression ends"},
    {"set x5 = 3 4", "unexpected '4'"},
    {"set pc = 2", "multiple of 4"},
    {"set mask = 0xff", "lanes"},
    {"set *0x10 = 1", "0x00000010: not in one buffer"},
    {"set vlenb = 1", "CSR"},
    {"display/4", "display: expected an expression"},
    {"display/y x5", "'/y': expected"},
    {"display nobody", "no register"},
    {"undisplay 3", "no display 3"},
    {"undisplay x", "expected numbers"},
    {"info", "info: expected what to show (help info)"},
    {"info frame", "unknown info 'frame' (help info)"},
    {"info wa", "ambiguous info 'wa': expected one of warps, watchpoints"},
    {"info warps now", "unexpected 'now'"},
    {"info lanes 1", "unexpected '1'"},
    {"info registers nobody", "no register or value '$nobody'"},
    {"info registers x99", "no register or value '$x99'"},
    {"info breakpoints 1", "unexpected '1'"},
    {"info watchpoints 1", "unexpected '1'"},
    {"info stack 1", "unexpected '1'"},
    {"info line 0x", "no symbol '0x'"},
    {"info symbol 0x10", "0x10: no symbol"},
    {"info launch 1", "unexpected '1'"},
    {"info buffers 1", "unexpected '1'"},
    {"info display 1", "unexpected '1'"},
    {"info source 1", "unexpected '1'"},
    {"warp 2", "warp 2: expected 0 to 1"},
    {"warp 0 0", "unexpected '0'"},
    {"warp -1", "warp -1: expected 0 to 1"},
    {"workgroup 2", "workgroup 2"},
    {"workgroup -1", "workgroup -1"},
    {"lane 4", "lane 4: expected 0 to 3"},
    {"stack 1", "unexpected '1'"},
    {"backtrace 1", "unexpected '1'"},
    {"list nowhere", "no symbol 'nowhere'"},
    {"list 5,2", "'5,2': expected FIRST,LAST"},
    {"list 0,2", "expected FIRST,LAST"},
    {"list 900,", "line 900: k.s has 9"},
    {"list 1,2 3", "expected FIRST,LAST"},
    {"disassemble nowhere", "no symbol 'nowhere'"},
    {"disassemble k,k", "expected up to"},
    {"disassemble k,+99999999", "expected up to"},
    {"disassemble k,+4 5", "unexpected '5'"},
    {"help frobnicate", "unknown command"},
    {"help info frobnicate", "unknown info"},
    {"help break it", "unexpected 'it'"},
    {"source", "source: expected a file"},
    {"source nowhere", "source: files are not read here"}, /* of a debugger under test */
    {"quit now", "unexpected 'now'"},
};

TEST(invalid_arguments, .setup_func = setup, .teardown_func = teardown)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        refused(refusals[i].command, refusals[i].part);
    assert_false(debugger->quits);
    assert_int_equal(debugger->point_count, 0);
    assert_int_equal(debugger->display_count, 0);
}

/* Every command has a row of errors above, except those that accept any argument. */
TEST(all_are_tried)
{
    static const char free_of_errors[] = " display echo ";
    for (const struct debug_command *c = debug_commands; c->names; c++) {
        char name[32];
        const char *names = c->names;
        bool found = !c->run;
        cli_word(&names, name, sizeof name);
        for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
            found |= strncmp(refusals[i].command, name, strlen(name)) == 0;
        FREED char *spaced = formatted(" %s ", name);
        if (!found && !strstr(free_of_errors, spaced))
            fail_msg("%s: expected a row in this test", name);
    }
}

/* Each command with invalid arguments, before, during and after the launch. */
TEST(survives_anything, .setup_func = setup, .teardown_func = teardown)
{
    static const char *const arguments[] = {
        "",   "0",   "-1",       "99999999999", "*",          "/",      "/x",
        "if", "\"",  "k if",     "v1",          "$",          "$$$",    "=",
        "k,", ",",   "\x1b[31m", "\xff\xfe",    "%s%n",       "k.s:",   ":1",
        "0x", "a b", "(((((",    "*k:4 if",     "0x70000000", "k+1,+4", "v1[$lane] = 3",
    };
    for (unsigned round = 0; round < 3; round++) {
        for (const struct debug_command *c = debug_commands; c->names; c++) {
            for (size_t i = 0; i < sizeof arguments / sizeof arguments[0] && c->run; i++) {
                char name[32], command[128];
                const char *names = c->names;
                cli_word(&names, name, sizeof name);
                snprintf(command, sizeof command, "%s %s", name, arguments[i]);
                survives(command);
                snprintf(command, sizeof command, "%s%s", name, arguments[i]);
                survives(command);
            }
        }
        for (const struct debug_command *c = debug_infos; c->names; c++) {
            for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
                char name[32], command[128];
                const char *names = c->names;
                cli_word(&names, name, sizeof name);
                snprintf(command, sizeof command, "info %s %s", name, arguments[i]);
                survives(command);
            }
        }
        survives(round ? "run" : "stepi 12");
    }
}

/* No name denotes two commands, and each is described. */
TEST(names_are_unique, .setup_func = setup, .teardown_func = teardown)
{
    struct sam_error error;
    for (const struct debug_command *c = debug_commands; c->names; c++) {
        char name[32], command[48];
        for (const char *names = c->names; c->run && cli_word(&names, name, sizeof name);) {
            assert_ptr_equal(debug_find(debug_commands, "command", name, &error), c);
            snprintf(command, sizeof command, "help %s", name);
            shows(command, c->grammar);
        }
    }
    shows("help", "  continue         run to the next stop\n");
    shows("help info", "  info lanes       ");
    shows("help info line", "info line [PLACE]\n");
    shows("help c", "  also: c, fg\n");
}

TEST(abbreviations)
{
    static const char *const pairs[][2] = {
        {"b", "break"},     {"br", "break"},       {"tb", "tbreak"},       {"c", "continue"},
        {"s", "step"},      {"si", "stepi"},       {"n", "next"},          {"ni", "nexti"},
        {"p", "print"},     {"i", "info"},         {"l", "list"},          {"d", "delete"},
        {"u", "until"},     {"fin", "finish"},     {"h", "help"},          {"r", "run"},
        {"q", "quit"},      {"bt", "backtrace"},   {"where", "backtrace"}, {"disas", "disassemble"},
        {"dis", "disable"}, {"rc", "rcontinue"},   {"rs", "rstep"},        {"rsi", "rstepi"},
        {"wat", "watch"},   {"cond", "condition"}, {"ig", "ignore"},       {"undisp", "undisplay"},
        {"thread", "warp"}, {"rw", "rwatch"},      {"aw", "awatch"},       {"adv", "until"},
    };
    struct sam_error error = {.text = ""};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct debug_command *c = debug_find(debug_commands, "command", pairs[i][0], &error);
        if (!c || strncmp(c->names, pairs[i][1], strlen(pairs[i][1])) != 0)
            fail_msg("%s: expected %s, found %s (%s)", pairs[i][0], pairs[i][1],
                     c ? c->names : "none", error.text);
    }
}

static void completes(const char *line, const char *wanted)
{
    char text[128], all[512] = "";
    for (size_t i = 0; debug_complete(debugger, line, i, text, sizeof text); i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s ", text);
    if (strcmp(all, wanted) != 0)
        fail_msg("'%s': expected '%s', found '%s'", line, wanted, all);
}

TEST(completion, .setup_func = setup, .teardown_func = teardown)
{
    completes("unt", "until ");
    completes("  st", "step stepi stack ");
    completes("break k", "k kernel_end ");
    completes("p &kern", "kernel_end ");
    completes("x/4xw k+kern", "kernel_end ");
    completes("info wa", "warps watchpoints ");
    completes("help rst", "rstep rstepi ");
    completes("quit x", "");
    completes("nothing x", "");
}

TEST(symbols_and_numbers, .setup_func = setup, .teardown_func = teardown)
{
    prints("p seven + 1", "$1 = 8\n"); /* from .equ: a number */
    prints("p kernel_end", "$2 = 0x80000044 <kernel_end>\n");
    prints("p *kernel_end", "$3 = 0\n");
    prints("echo two\\nlines\\n", "two\nlines\n");
    prints("# a comment", "");
    prints("", "");
    prints("   ", "");
}

TEST_GROUP(NULL, remove_source)
