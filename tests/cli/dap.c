/* SPDX-License-Identifier: Apache-2.0 */
/* Conversations with `samite debug --dap`, and messages that no client sends. */
#include <unistd.h>

#include "cli/dap_client.h"

/* Lanes 0 and 1 add, lanes 2 to 31 wait. */
static const char source[] = ".globl k\n"
                             "k:   lw a1, 0(a0)\n"
                             "     vid.v v1\n"
                             "     li t1, 2\n"
                             "     vmv.v.x v2, t1\n"
                             "     setrpc t2, join1\n"
                             "     vbgeu v1, v2, big\n"
                             "     vadd.vi v3, v1, 10\n"
                             "     j join1\n"
                             "big: vadd.vi v3, v1, 5\n"
                             "join1: join\n"
                             "     li t0, 3\n"
                             "again: addi t0, t0, -1\n"
                             "     sw t0, 0(a1)\n"
                             "     bnez t0, again\n"
                             "     ret\n";

#define LAUNCH                                                                                     \
    "'program':'k.s','args':['--kernel','k','--grid','1','--block','64','--arg',"                  \
    "'out:u32:4:out.npy']"

FIXTURE(setup)
{
    make_directory();
    write_text("k.s", source);
    write_text("spin.s", ".globl k\nk: lw a1, 0(a0)\n li t0, 0\n"
                         "again: addi t0, t0, 1\n sw t0, 0(a1)\n j again\n");
    return 0;
}

static void begins(const char *text, const char *with)
{
    if (strncmp(text, with, strlen(with)) != 0)
        fail_msg("'%s' does not begin with '%s'", text, with);
}

/* From launch to the end: outputs are written, and messages of the run are events. */
TEST(runs_to_the_end)
{
    unlink("out.npy");
    client_begin();
    const json_t *body = asks("initialize", "{'adapterID':'samite'}");
    assert_true(json_is_true(json_object_get(body, "supportsStepBack")));
    asks("launch", "{" LAUNCH "}");
    event("initialized");
    asks("setExceptionBreakpoints", "{'filters':[]}");
    asks("configurationDone", "null");
    assert_int_equal(number_at(event("exited"), "exitCode"), 0);
    event("terminated");
    assert_true(exists("out.npy"));
    rejects("threads", "{}", "no program");
    client_end();
}

TEST(requests_out_of_place)
{
    client_begin();
    rejects("threads", "{}", "threads: no program (launch starts one)");
    rejects("terminate", "{}", "no program");
    rejects("launch", "{'program':'none.s','args':['--kernel','k','--grid','1','--block','4']}",
            "none.s");
    rejects("launch", "{'program':'k.s'}", "--kernel");
    rejects("launch", "{'program':'k.s','args':['--batch']}", "--batch: an editor runs");
    rejects("launch", "{'program':'k.s','args':[5]}", "args[0]: expected a string");
    rejects("launch", "{'program':'k.s','args':'-q'}", "args: expected an array");
    rejects("launch", "{'program':'f.pto'}", "tile programs have no debugger");
    rejects("launch", "{'cwd':'nowhere'}", "cannot enter 'nowhere'");
    launches("{" LAUNCH ",'stopOnEntry':true}");
    asks("configurationDone", "{}");
    stops("entry");
    rejects("launch", "{" LAUNCH "}", "launched already");
    rejects("configurationDone", "{}", "has been started");
    rejects("stackTraces", "{}", "unknown request 'stackTraces'; did you mean 'stackTrace'?");
    rejects("exceptionInfo", "{'threadId':1}", "not at a trap");
    client_end();
}

/* Every argument of a wrong type, or out of range, has an answer. */
TEST(wrong_arguments)
{
    client_begin();
    launches("{" LAUNCH ",'stopOnEntry':true}");
    asks("configurationDone", "{}");
    stops("entry");
    rejects("threads", "[1]", "arguments: expected an object");
    rejects("continue", "{}", "threadId: expected an integer");
    rejects("next", "{'threadId':'1'}", "threadId: expected an integer");
    rejects("next", "{'threadId':-7}", "no thread -7");
    rejects("stackTrace", "{'threadId':9007199254740991}", "no thread");
    rejects("stackTrace", "{'threadId':1,'startFrame':-1}", "expected numbers from 0 on");
    rejects("scopes", "{'frameId':0}", "no such frame");
    rejects("scopes", "{'frameId':99999}", "no such frame");
    rejects("variables", "{'variablesReference':0}", "no such variablesReference");
    rejects("variables", "{'variablesReference':9223372036854775807}", "no such frame");
    rejects("variables", "{'variablesReference':1,'start':-1}", "start, count");
    rejects("setVariable", "{'variablesReference':3,'name':'x5','value':'1'}", "no such frame");
    rejects("evaluate", "{'expression':7}", "expression: expected a string");
    rejects("evaluate", "{'expression':'1 +'}", "expected");
    rejects("evaluate", "{'expression':'x5','frameId':'a'}", "frameId: expected an integer");
    rejects("setBreakpoints", "{'breakpoints':[]}", "source: expected a path");
    rejects("setBreakpoints", "{'source':{'path':'k.s'},'breakpoints':7}", "expected an array");
    rejects("disassemble", "{'memoryReference':'x','instructionCount':1}", "expected an address");
    rejects("disassemble", "{'memoryReference':'0','instructionCount':999999}", "expected 0 to");
    rejects("readMemory", "{'memoryReference':'0','count':-1}", "expected 0 to");
    rejects("source", "{'sourceReference':9}", "no such sourceReference");
    const json_t *body = asks("setBreakpoints", "{'source':{'path':'k.s'},'breakpoints':["
                                                "{'line':900},{'line':'x'},3,{'line':2,'condition'"
                                                ":'1 +'},{'line':2,'hitCondition':'few'}]}");
    for (size_t i = 0; i < 5; i++) {
        const json_t *row = json_array_get(json_at(body, "breakpoints"), i);
        assert_true(json_is_false(json_object_get(row, "verified")));
        assert_non_null(text_at(row, "message"));
    }
    assert_string_equal(text_at(body, "breakpoints/0/message"), "k.s: no code from line 900 on");
    body = asks("setBreakpoints", "{'source':{'path':'k.s'},'breakpoints':[{'line':2,'condition':"
                                  "7},{'line':2,'hitCondition':[]},{'line':2,'logMessage':true},"
                                  "{'line':2,'condition':null}]}");
    assert_string_equal(text_at(body, "breakpoints/0/message"), "condition: expected a string");
    assert_string_equal(text_at(body, "breakpoints/1/message"), "hitCondition: expected a string");
    assert_string_equal(text_at(body, "breakpoints/2/message"), "logMessage: expected a string");
    assert_true(json_is_true(json_at(body, "breakpoints/3/verified")));
    body = asks("setBreakpoints", "{'source':{'path':'other.s'},'breakpoints':[{'line':2}]}");
    assert_string_equal(text_at(body, "breakpoints/0/message"),
                        "other.s: the program has no code of such a file");
    client_end();
}

TEST(breakpoints)
{
    client_begin();
    launches("{" LAUNCH "}");
    const json_t *body =
        asks("setBreakpoints", "{'source':{'path':'k.s'},'breakpoints':[{'line':1},{'line':14,"
                               "'condition':'t0 == 1'},{'line':12,'condition':'warp 1 if 1'},"
                               "{'line':4,'logMessage':'v1[3] is {v1[3]} {none}'}]}");
    assert_int_equal(number_at(body, "breakpoints/0/line"), 2);
    assert_true(json_is_true(json_at(body, "breakpoints/1/verified")));
    body = asks("setFunctionBreakpoints", "{'breakpoints':[{'name':'join1','hitCondition':'2'},"
                                          "{'name':'joyn'}]}");
    assert_string_equal(text_at(body, "breakpoints/1/message"),
                        "no symbol 'joyn'; did you mean 'join1'?");
    asks("configurationDone", "{}");
    stops("breakpoint");
    expect_line(1, 2);
    asks("continue", "{'threadId':1}");
    expect_output("v1[3] is 3 <no register, CSR or symbol 'none'>");
    stops("function breakpoint"); /* the second path arrives */
    expect_line(1, 11);
    asks("setFunctionBreakpoints", "{'breakpoints':[]}");
    asks("continue", "{'threadId':1}");
    stops("breakpoint");
    expect_line(1, 14);
    shows_value("t0", "1");
    asks("setInstructionBreakpoints",
         "{'breakpoints':[{'instructionReference':'0x80000058','offset':4}]}");
    asks("setBreakpoints", "{'source':{'path':'k.s'},'breakpoints':[{'line':12,'condition':"
                           "'warp 1'}]}");
    asks("continue", "{'threadId':1}");
    stops("instruction breakpoint");
    asks("setInstructionBreakpoints", "{'breakpoints':[]}");
    asks("continue", "{'threadId':1}");
    stops("breakpoint");
    expect_line(2, 12);
    client_end();
}

/* Steps forward and back, by lines and by instructions. */
TEST(steps_and_reverse)
{
    client_begin();
    launches("{" LAUNCH "}");
    asks("setBreakpoints", "{'source':{'path':'k.s'},'breakpoints':[{'line':13}]}");
    asks("configurationDone", "{}");
    stops("breakpoint");
    asks("next", "{'threadId':1}");
    stops("step");
    expect_line(1, 14);
    asks("stepIn", "{'threadId':1,'granularity':'instruction'}");
    stops("step");
    expect_line(1, 15);
    asks("stepBack", "{'threadId':1,'granularity':'instruction'}");
    stops("step");
    expect_line(1, 14);
    shows_value("t0", "2");
    asks("stepBack", "{'threadId':1}");
    stops("step");
    expect_line(1, 13);
    shows_value("t0", "3");
    asks("continue", "{'threadId':1}");
    stops("breakpoint");
    expect_line(1, 13);
    shows_value("t0", "2");
    asks("reverseContinue", "{'threadId':1}");
    stops("breakpoint");
    expect_line(1, 13);
    shows_value("t0", "3");
    asks("reverseContinue", "{'threadId':1}");
    assert_string_equal(text_at(event("stopped"), "description"),
                        "the beginning of what is recorded");
    asks("stepOut", "{'threadId':1}");
    stops("breakpoint");
    expect_line(1, 13);
    client_end();
}

/* Lanes that wait have frames, and each frame has the registers of its lane. */
TEST(divergence)
{
    client_begin();
    launches("{" LAUNCH "}");
    asks("setBreakpoints", "{'source':{'path':'k.s'},'breakpoints':[{'line':8}]}");
    asks("configurationDone", "{}");
    stops("breakpoint");
    const json_t *body = asks("threads", "{}");
    assert_string_equal(text_at(body, "threads/0/name"), "workgroup 0 warp 0 (2 of 32 lanes)");
    assert_string_equal(text_at(body, "threads/1/name"), "workgroup 0 warp 1 (32 of 32 lanes)");
    body = asks("stackTrace", "{'threadId':1}");
    assert_string_equal(text_at(body, "stackFrames/0/name"), "k+0x1c [lanes 0-1]");
    assert_string_equal(text_at(body, "stackFrames/1/source/name"), "<start code>");
    assert_string_equal(text_at(body, "stackFrames/2/name"), "big [lanes 2-31 waiting]");
    assert_int_equal(number_at(body, "stackFrames/2/line"), 10);
    body = asks("stackTrace", "{'threadId':1,'startFrame':2,'levels':1}");
    assert_int_equal(json_array_size(json_at(body, "stackFrames")), 1);
    assert_int_equal(number_at(body, "totalFrames"), 3);
    assert_string_equal(text_at(asks("evaluate", "{'expression':'$lane','frameId':3}"), "result"),
                        "2");
    shows_value("$lane", "0");
    body = asks("scopes", "{'frameId':1}");
    assert_string_equal(text_at(body, "scopes/0/name"), "Lanes");
    body = asks("variables", "{'variablesReference':2}");
    assert_string_equal(text_at(body, "variables/1/value"), "active at k+0x1c at k.s:8");
    assert_string_equal(text_at(body, "variables/3/value"), "waits at big at k.s:10");
    body = asks("variables", "{'variablesReference':6}");
    assert_string_equal(text_at(body, "variables/0/value"),
                        "lanes 2-31 at big at k.s:10, until the join join1 at k.s:11");
    assert_string_equal(text_at(asks("source", "{'sourceReference':1}"), "content"),
                        sam_gpu_start_code());
    client_end();
}

TEST(variables)
{
    client_begin();
    launches("{" LAUNCH ",'stopOnEntry':true}");
    asks("setBreakpoints", "{'source':{'path':'k.s'},'breakpoints':[{'line':10}]}");
    asks("configurationDone", "{}");
    stops("entry");
    asks("continue", "{'threadId':1}");
    stops("breakpoint");
    asks("stackTrace", "{'threadId':1}");
    const json_t *body = asks("variables", "{'variablesReference':3,'start':8,'count':2}");
    assert_int_equal(json_array_size(json_at(body, "variables")), 2);
    assert_string_equal(text_at(body, "variables/0/name"), "x6 t1");
    assert_string_equal(text_at(body, "variables/0/value"), "2");
    body = asks("variables", "{'variablesReference':4,'count':4}");
    begins(text_at(body, "variables/1/value"), "{(0), (1), 2, 3, ");
    assert_int_equal(number_at(body, "variables/1/indexedVariables"), 32);
    const json_int_t v1 = number_at(body, "variables/1/variablesReference");
    assert_int_equal(v1, 258);
    body = asks("variables", "{'variablesReference':258,'start':1,'count':2}");
    assert_string_equal(text_at(body, "variables/0/value"), "(1)");
    assert_string_equal(text_at(body, "variables/1/value"), "2");
    body = asks("setVariable", "{'variablesReference':258,'name':'[3]','value':'x6 * 35'}");
    assert_string_equal(text_at(body, "value"), "70 (0x46)");
    body = asks("evaluate", "{'expression':'v1','frameId':1,'context':'watch'}");
    begins(text_at(body, "result"), "{(0), (1), 2, 70, 4, ");
    body = asks("evaluate", "{'expression':'/x v1','frameId':1,'context':'watch'}");
    begins(text_at(body, "result"), "{(0x0), (0x1), 0x2, 0x46, ");
    body = asks("setVariable", "{'variablesReference':3,'name':'x6 t1','value':'-1'}");
    assert_string_equal(text_at(body, "value"), "-1 (0xffffffff)");
    rejects("setVariable", "{'variablesReference':3,'name':'x99','value':'1'}",
            "no variable 'x99'");
    asks("setVariable", "{'variablesReference':2,'name':'selected','value':'3'}");
    shows_value("v1[$lane]", "70 (0x46)");
    rejects("setVariable", "{'variablesReference':2,'name':'selected','value':'32'}",
            "expected 0 to 31");
    asks("setExpression", "{'expression':'*(short *)a1','value':'0x1234','frameId':1}");
    body = asks("readMemory", "{'memoryReference':'0x90000000','count':100}");
    assert_string_equal(text_at(body, "data"), "NBIAAAAAAAAAAAAAAAAAAA==");
    assert_int_equal(number_at(body, "unreadableBytes"), 84);
    body = asks("variables", "{'variablesReference':5}");
    assert_string_equal(text_at(body, "variables/0/name"), "fflags");
    body = asks("variables", "{'variablesReference':7,'start':2,'count':1}");
    assert_string_equal(text_at(body, "variables/0/name"), "0x70000008");
    body = asks("variables", "{'variablesReference':7}"); /* 256 MiB */
    assert_int_equal(json_array_size(json_at(body, "variables")), 16385);
    begins(text_at(body, "variables/16384/value"), "after 16384: ");
    body = asks("setVariable", "{'variablesReference':7,'name':'0x7000000c','value':'-7'}");
    begins(text_at(body, "value"), "-7 ");
    rejects("setVariable", "{'variablesReference':7,'name':'nope','value':'7'}", "no variable");
    body = asks("variables", "{'variablesReference':515}"); /* lane 2 */
    assert_string_equal(text_at(body, "variables/1/value"), "2");
    client_end();
}

/* Words of registers and memory have no type: those that look like floats are shown as floats. */
TEST(floats)
{
    client_begin();
    launches("{" LAUNCH ",'stopOnEntry':true}");
    asks("configurationDone", "{}");
    stops("entry");
    asks("stackTrace", "{'threadId':1}");
    const json_t *body =
        asks("setVariable", "{'variablesReference':3,'name':'x6 t1','value':'1.5'}");
    assert_string_equal(text_at(body, "value"), "1069547520 (0x3fc00000, float 1.5)");
    asks("setVariable", "{'variablesReference':258,'name':'[3]','value':'0.1f'}");
    body = asks("variables", "{'variablesReference':258,'start':3,'count':1}");
    assert_string_equal(text_at(body, "variables/0/value"), "0.1");
    body = asks("evaluate", "{'expression':'v1','frameId':1,'context':'watch'}");
    begins(text_at(body, "result"), "float {0, 0, 0, 0.1, 0");
    shows_value("v1[3]", "1036831949 (0x3dcccccd, float 0.1)");
    shows_value("v1[3] + 0", "1036831949 (0x3dcccccd)");
    asks("setVariable", "{'variablesReference':7,'name':'0x7000000c','value':'0xc0200000'}");
    body = asks("variables", "{'variablesReference':7,'start':3,'count':1}");
    assert_string_equal(text_at(body, "variables/0/value"), "-1071644672 (0xc0200000, float -2.5)");
    client_end();
}

/* The declared words, which follow the stacks of two warps, and those of local: arguments. */
TEST(local_memory)
{
    client_begin();
    launches("{'program':'k.s','args':['--kernel','k','--grid','1','--block','64','--lds-size','8',"
             "'--arg','out:u32:4','--arg','local:16'],'stopOnEntry':true}");
    asks("configurationDone", "{}");
    stops("entry");
    asks("stackTrace", "{'threadId':1}");
    const json_t *body = asks("scopes", "{'frameId':1}");
    assert_string_equal(text_at(body, "scopes/5/name"), "Local memory");
    assert_int_equal(number_at(body, "scopes/5/indexedVariables"), 6);
    body = asks("variables", "{'variablesReference':7}");
    assert_int_equal(json_array_size(json_at(body, "variables")), 6);
    assert_string_equal(text_at(body, "variables/0/name"), "0x70000800");
    assert_string_equal(text_at(body, "variables/1/name"), "0x70000804");
    assert_string_equal(text_at(body, "variables/2/name"), "0x7ffff000");
    assert_string_equal(text_at(body, "variables/5/name"), "0x7ffff00c");
    body = asks("variables", "{'variablesReference':7,'start':1,'count':2}");
    assert_int_equal(json_array_size(json_at(body, "variables")), 2);
    assert_string_equal(text_at(body, "variables/1/name"), "0x7ffff000");
    asks("setVariable", "{'variablesReference':7,'name':'0x7ffff00c','value':'5'}");
    shows_value("*(int *)0x7ffff00c", "5");
    rejects("setVariable", "{'variablesReference':7,'name':'0x70000808','value':'5'}",
            "no variable");
    client_end();
}

TEST(data_breakpoints)
{
    client_begin();
    launches("{" LAUNCH "}");
    asks("setBreakpoints", "{'source':{'path':'k.s'},'breakpoints':[{'line':12}]}");
    asks("configurationDone", "{}");
    stops("breakpoint");
    asks("stackTrace", "{'threadId':1}");
    const json_t *body = asks("dataBreakpointInfo", "{'name':'t0','frameId':1}");
    assert_true(json_is_null(json_at(body, "dataId")));
    assert_string_equal(text_at(body, "description"), "t0 is not in memory");
    body = asks("dataBreakpointInfo", "{'name':'*(int *)a1','frameId':1}");
    assert_string_equal(text_at(body, "dataId"), "0x90000000:4");
    body = asks("dataBreakpointInfo", "{'name':'0x90000004','asAddress':true,'bytes':2}");
    assert_string_equal(text_at(body, "dataId"), "0x90000004:2");
    body = asks("setDataBreakpoints", "{'breakpoints':[{'dataId':'0x90000000:4','accessType':"
                                      "'write','condition':'t0 == 1'},{'dataId':'x:y'}]}");
    assert_true(json_is_true(json_at(body, "breakpoints/0/verified")));
    assert_true(json_is_false(json_at(body, "breakpoints/1/verified")));
    asks("continue", "{'threadId':1}");
    stops("data breakpoint");
    expect_output("Old value = 2 (0x00000002)\nNew value = 1 (0x00000001)");
    expect_line(1, 15);
    client_end();
}

/* The console runs commands of the debugger, and evaluates what is none. */
TEST(console)
{
    client_begin();
    launches("{" LAUNCH "}");
    asks("setBreakpoints", "{'source':{'path':'k.s'},'breakpoints':[{'line':12}]}");
    asks("configurationDone", "{}");
    stops("breakpoint");
    asks("stackTrace", "{'threadId':1}");
    const json_t *body =
        asks("evaluate", "{'expression':'info line','frameId':1,'context':'repl'}");
    assert_string_equal(text_at(body, "result"), "line 12 of k.s: 0x80000058 to 0x8000005b\n");
    event("invalidated");
    body = asks("evaluate", "{'expression':'v3','frameId':1,'context':'repl'}");
    begins(text_at(body, "result"), "{10, 11, 7, 8, ");
    assert_int_equal(number_at(body, "variablesReference"), 260);
    asks("evaluate", "{'expression':'stepi 2','frameId':1,'context':'repl'}");
    stops("step");
    expect_line(1, 14);
    asks("evaluate", "{'expression':'warp 1','context':'repl'}");
    assert_int_equal(number_at(event("stopped"), "threadId"), 2);
    rejects("evaluate", "{'expression':'source x','context':'repl'}", "");
    body = asks("completions", "{'text':'reco','column':5}");
    assert_string_equal(text_at(body, "targets/0/label"), "reconverge");
    assert_string_equal(text_at(body, "targets/1/label"), "record");
    asks("evaluate", "{'expression':'quit','context':'repl'}");
    event("terminated");
    client_end();
}

TEST(disassembly)
{
    client_begin();
    launches("{" LAUNCH "}");
    asks("setFunctionBreakpoints", "{'breakpoints':[{'name':'k'}]}");
    asks("configurationDone", "{}");
    stops("function breakpoint");
    const json_t *body = asks("disassemble", "{'memoryReference':'0x8000002c','offset':4,"
                                             "'instructionOffset':-2,'instructionCount':3}");
    assert_string_equal(text_at(body, "instructions/0/address"), "0x80000028");
    assert_string_equal(text_at(body, "instructions/1/symbol"), "k");
    assert_string_equal(text_at(body, "instructions/1/instruction"), "lw a1, 0(a0)");
    assert_int_equal(number_at(body, "instructions/2/line"), 3);
    body = asks("disassemble", "{'memoryReference':'0','instructionCount':1}");
    assert_string_equal(text_at(body, "instructions/0/presentationHint"), "invalid");
    body = asks("loadedSources", "{}");
    assert_true(json_array_size(json_at(body, "sources")) >= 1);
    client_end();
}

/* A program that runs for ever is paused; meanwhile, breakpoints are set. */
TEST(while_running)
{
    client_begin();
    launches("{'program':'spin.s','args':['--kernel','k','--grid','1','--block','32',"
             "'--arg','out:u32:1']}");
    asks("configurationDone", "{}");
    asks("threads", "{}");
    rejects("stackTrace", "{'threadId':1}", "the program is running");
    asks("pause", "{'threadId':1}");
    stops("pause");
    asks("continue", "{'threadId':1}");
    asks("setBreakpoints", "{'source':{'path':'spin.s'},'breakpoints':[{'line':5}]}");
    stops("breakpoint");
    expect_line(1, 5);
    asks("setBreakpoints", "{'source':{'path':'spin.s'},'breakpoints':[]}");
    asks("stepOut", "{'threadId':1}"); /* never completes */
    asks("pause", "{'threadId':1}");
    stops("pause");
    asks("continue", "{'threadId':1}");
    asks("terminate", "{}");
    event("terminated");
    client_end();
}

TEST(disconnects_while_running)
{
    client_begin();
    launches("{'program':'spin.s','args':['--kernel','k','--grid','1','--block','32',"
             "'--arg','out:u32:1']}");
    asks("configurationDone", "{}");
    client_end();
}

/* A trap is an exception; the program can be repaired. */
TEST(trap)
{
    client_begin();
    launches("{'program':'k.s','args':['--kernel','k','--grid','1','--block','32',"
             "'--arg','u32:0'],'stopAtEnd':true}");
    asks("configurationDone", "{}");
    stops("exception");
    assert_non_null(
        strstr(text_at(asks("exceptionInfo", "{'threadId':1}"), "description"), "store to 0x0000"));
    asks("evaluate", "{'expression':'set a1 = 0x90000000','context':'repl'}");
    asks("stepBack", "{'threadId':1}");
    stops("step");
    expect_line(1, 13);
    client_end();
}

/* A program of the hart that ends stays, when asked to, and runs backwards. */
TEST(hart)
{
    write_text("h.s", "_start: li s0, 5\nloop: addi s0, s0, -1\n bnez s0, loop\n li a0, 9\n"
                      " li a7, 93\n ecall\n");
    client_begin();
    launches("{'program':'h.s','args':['--machine','tensor'],'stopAtEnd':true}");
    asks("configurationDone", "{}");
    assert_string_equal(text_at(event("stopped"), "description"), "the program has ended");
    asks("stepBack", "{'threadId':1}");
    stops("step");
    const json_t *body = asks("stackTrace", "{'threadId':1}");
    assert_int_equal(number_at(body, "stackFrames/0/line"), 5);
    body = asks("scopes", "{'frameId':1}");
    assert_string_equal(text_at(body, "scopes/0/name"), "Scalar registers");
    assert_string_equal(text_at(body, "scopes/2/name"), "Tensor units");
    body = asks("variables", "{'variablesReference':8}");
    assert_string_equal(text_at(body, "variables/3/name"), "tl3");
    body = asks("variables", "{'variablesReference':772,'start':1023}");
    assert_int_equal(json_array_size(json_at(body, "variables")), 1);
    rejects("setVariable", "{'variablesReference':772,'name':'[5]','value':'1'}",
            "cannot be set here");
    asks("continue", "{'threadId':1}");
    stops("pause");
    asks("continue", "{'threadId':1}");
    assert_int_equal(number_at(event("exited"), "exitCode"), 9);
    expect_output("exit code 9");
    client_end();
}

/* Output of the program comes before the stop that follows. */
TEST(program_output)
{
    write_text("hello.s", "_start: li a7, 64\n li a0, 1\n la a1, text\n li a2, 4\n ecall\n ebreak\n"
                          " li a0, 0\n li a7, 93\n ecall\n.data\ntext: .ascii \"hi\\377\\n\"\n");
    client_begin();
    launches("{'program':'hello.s','args':['--machine','tensor']}");
    asks("configurationDone", "{}");
    const json_t *body = event("output");
    assert_string_equal(text_at(body, "category"), "stdout");
    assert_string_equal(text_at(body, "output"), "hi?\n");
    assert_string_equal(text_at(event("stopped"), "description"), "ebreak");
    expect_line(1, 6);
    client_end();
}

static bool has_clang(void)
{
    const char *clang = getenv("SAMITE_CLANG");
    FREED char *command = formatted("%s --version >/dev/null 2>&1", clang ? clang : "clang");
    return system(command) == 0;
}

/* Variables of OpenCL C, in the lane that is selected. */
TEST(opencl_variables)
{
    if (!has_clang())
        skip();
    write_text("v.cl", "__kernel void k(__global int *p, int n)\n{\n"
                       "    int i = get_global_id(0);\n    int x = i * n;\n    p[i] = x;\n"
                       "    __local int t[4];\n    t[i & 3] = i & 3;\n"
                       "    barrier(CLK_LOCAL_MEM_FENCE);\n    p[i] += t[n & 3];\n}\n");
    client_begin();
    launches("{'program':'v.cl','args':['--kernel','k','--grid','1','--block','32','--arg',"
             "'out:i32:32','--arg','i32:10']}");
    asks("setBreakpoints", "{'source':{'path':'v.cl'},'breakpoints':[{'line':5}]}");
    asks("configurationDone", "{}");
    stops("breakpoint");
    expect_line(1, 5);
    assert_string_equal(text_at(asks("scopes", "{'frameId':1}"), "scopes/0/name"),
                        "Variables of lane 0");
    asks("setVariable", "{'variablesReference':2,'name':'selected','value':'7'}");
    const json_t *body = asks("variables", "{'variablesReference':1}");
    assert_string_equal(text_at(body, "variables/3/name"), "x");
    assert_string_equal(text_at(body, "variables/3/value"), "70");
    assert_string_equal(text_at(asks("evaluate", "{'expression':'i','frameId':1}"), "result"), "7");
    body = asks("setVariable", "{'variablesReference':1,'name':'x','value':'i + 1'}");
    assert_string_equal(text_at(body, "value"), "8");
    assert_string_equal(
        text_at(asks("dataBreakpointInfo", "{'name':'p[i]','frameId':1}"), "dataId"),
        "0x9000001c:4");
    asks("setBreakpoints", "{'source':{'path':'v.cl'},'breakpoints':[{'line':9}]}");
    asks("continue", "{'threadId':1}");
    stops("breakpoint");
    expect_line(1, 9);
    assert_string_equal(text_at(asks("evaluate", "{'expression':'t','frameId':1}"), "result"),
                        "{0, 1, 2, 3}");
    assert_string_equal(text_at(asks("evaluate", "{'expression':'t[2]','frameId':1}"), "result"),
                        "2");
    client_end();
}

/* Send these bytes; the exit code must be this, and the error contain the part. */
static void hostile(const char *bytes, int code, const char *part)
{
    write_text("bytes", bytes);
    struct outcome o = run("--dap <bytes");
    assert_int_equal(o.code, code);
    if (part)
        expect_part(&o.err, part);
    else
        assert_int_equal(o.err.size, 0);
    done(&o);
}

TEST(broken_framing)
{
    command_verb = "debug";
    hostile("", 0, NULL);
    hostile("\r\n", 2, "a header without Content-Length");
    hostile("Content-Length: x\r\n\r\n", 2, "Content-Length: expected a number");
    hostile("Content-Length: -5\r\n\r\n", 2, "Content-Length: expected a number");
    hostile("Content-Length: 99999999999\r\n\r\n", 2, "expected at most 16777216");
    hostile("Content-Length: 16777216\r\n\r\n{}", 2, "before the end of one");
    hostile("Content-Length: 2\r\n", 2, "end in a header");
    hostile("Content-Length: 2\r\n\r\n{", 2, "1 bytes before the end of one");
    hostile("Accept: x\ncontent-length:  2\n\n{}Content-Length: 2\r\n\r\n[]", 0, NULL);
    write_text("bytes", "Content-Length: 55\r\n\r\n"
                        "{\"seq\":7,\"type\":\"request\",\"command\":\"initialize\\u0000\"}");
    struct outcome nul = run("--dap <bytes");
    expect_part(&nul.out, "\"request_seq\":7");
    done(&nul);
    struct sam_buffer deep = {0};
    sam_buffer_puts(&deep, "Content-Length: 100000\r\n\r\n");
    for (int i = 0; i < 100000; i++)
        sam_buffer_puts(&deep, "[");
    hostile(sam_buffer_text(&deep), 0, NULL);
    sam_buffer_free(&deep);
    for (int i = 0; i < 5000; i++)
        sam_buffer_puts(&deep, "x");
    hostile(sam_buffer_text(&deep), 2, "expected at most 4096");
    sam_buffer_free(&deep);
    struct outcome o = run("--dap k.s </dev/null");
    assert_int_equal(o.code, 2);
    expect_part(&o.err, "--dap");
    done(&o);
}

/* An editor's session goes through all launches, with the same breakpoints. */
TEST(a_chain_in_an_editor)
{
    write_text("addn.s", addn);
    run_script(". $SAMITE_SOURCE/tests/cli/pair.sh; pair one 0x90001000 1 first; "
               "pair two 0x90002000 20");
    client_begin();
    launches("{'args':['one.metadata','one.data','two.metadata','two.data','--dump',"
             "'0x90000000:64:end.bin'],'stopAtEnd':true}");
    asks("setInstructionBreakpoints",
         "{'breakpoints':[{'instructionReference':'0x80000000','condition':'warp 1'}]}");
    asks("configurationDone", "{}");
    stops("instruction breakpoint");
    asks("continue", "{'threadId':1}");
    stops("instruction breakpoint"); /* of the second launch */
    asks("continue", "{'threadId':1}");
    assert_string_equal(text_at(event("stopped"), "description"), "the program has ended");
    asks("continue", "{'threadId':1}");
    assert_int_equal(number_at(event("exited"), "exitCode"), 0);
    event("terminated");
    client_end();
    run_script("test \"$(od -An -t u4 -N 8 end.bin | tr -s ' ')\" = ' 21 121'");
}

TEST_GROUP(setup, remove_directory)
