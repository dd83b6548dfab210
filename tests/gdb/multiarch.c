/* SPDX-License-Identifier: Apache-2.0 */
/* gdb-multiarch with `samite run --gdb`, from which it reads the program and its lines. Each
 * test is a gdb script, which ends at the first error, and gdb's output. */
#include "cli/command.h"

#include <signal.h>
#include <sys/wait.h>

/* Replaced in a script by the number of the first line of the kernel that contains `text`. */
struct place {
    const char *name, *text;
};

static unsigned line_of(const char *path, const char *text)
{
    char line[256];
    unsigned number = 1;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) && !strstr(line, text))
        number++;
    assert_false(feof(file));
    fclose(file);
    return number;
}

/* An array of the numbers from 1 on. */
static void write_numbers(const char *name, uint32_t count)
{
    char header[128];
    SCOPED(sam_buffer) file = {0};
    snprintf(header, sizeof header, "{'descr': '<u4', 'fortran_order': False, 'shape': (%u,), }",
             count);
    sam_buffer_append(&file, "\x93NUMPY\1\0\x76\0", 10); /* the header has 118 bytes */
    sam_buffer_printf(&file, "%-117s\n", header);
    for (uint32_t value = 1; value <= count; value++)
        sam_buffer_append(&file, &value, sizeof value);
    FREED char *path = formatted("%s/%s", directory, name);
    succeeds(sam_file_save, path, file.data, file.size);
}

/* Give the directory a copy of a kernel, and x.npy with the numbers from 1 to 256. Returns
 * commands that set gdb's $name to the line of each place. */
static struct sam_buffer take_kernel(const char *name, const struct place *places, size_t count)
{
    struct sam_buffer text = {0}, settings = {0};
    FREED char *path = formatted("%s/kernels/%s", getenv("SAMITE_SOURCE"), name);
    succeeds(sam_file_read, path, 1 << 20, &text);
    write_text(name, sam_buffer_text(&text));
    sam_buffer_free(&text);
    write_numbers("x.npy", 256);
    for (size_t i = 0; i < count; i++)
        sam_buffer_printf(&settings, "set $%s = %u\n", places[i].name,
                          line_of(path, places[i].text));
    return settings;
}

/* The output of gdb for `commands`, connected by `target`. */
static struct sam_buffer gdb(const char *target, const struct sam_buffer *settings,
                             const char *commands)
{
    struct sam_buffer script = {0};
    sam_buffer_printf(&script,
                      "set width 0\nset confirm off\nset style enabled off\n%starget remote %s\n%s",
                      settings ? sam_buffer_text(settings) : "", target, commands);
    write_text("script.gdb", sam_buffer_text(&script));
    sam_buffer_free(&script);
    FREED char *line =
        formatted("cd %s && gdb-multiarch -nx -batch -x script.gdb >.gdb 2>&1", directory);
    if (system(line) == -1)
        fail_msg("cannot run gdb-multiarch");
    return read_file(".gdb");
}

/* The same, with a pipe to `samite run WORDS --gdb=-`. */
static struct sam_buffer gdb_on(const char *words, const struct sam_buffer *settings,
                                const char *commands)
{
    FREED char *target =
        formatted("| %s run %s --gdb=- 2>.err; echo $? >.code", getenv("SAMITE"), words);
    return gdb(target, settings, commands);
}

/* The output must contain the parts in this order. */
static void expect_in_order(struct sam_buffer *text, const char *const *parts)
{
    const char *at = sam_buffer_text(text);
    for (size_t i = 0; parts[i]; i++) {
        const char *found = strstr(at, parts[i]);
        if (!found) {
            fail_msg("no '%s' after the parts before it in:\n%s", parts[i], sam_buffer_text(text));
            return;
        }
        at = found + strlen(parts[i]);
    }
    sam_buffer_free(text);
}
#define EXPECT_IN_ORDER(text, ...) expect_in_order((text), (const char *const[]){__VA_ARGS__, NULL})

static void expect_file(const char *name, const char *part)
{
    SCOPED(sam_buffer) file = read_file(name);
    expect_part(&file, part);
}

#define DIVERGE                                                                                    \
    "diverge.s --kernel diverge --grid 2 --block 128 --arg in:x.npy --arg out=out:u32:256 "        \
    "--arg u32:256"

/* Item 69 is 70, then 35: odd for the first time. */
TEST(a_lane_at_a_line)
{
    static const struct place places[] = {{"odd", "vsll.vi v7, v3, 1"},
                                          {"loaded", "vmv.v.i v4, 0                   # acc"}};
    SCOPED(sam_buffer) settings = take_kernel("diverge.s", places, SAM_COUNT(places));
    struct sam_buffer out = gdb_on(DIVERGE, &settings,
                                   "monitor lane 5\n"
                                   "eval \"break diverge.s:%d if $_thread == 3\", $odd\n"
                                   "continue\n"
                                   "printf \"x %u, active %u\\n\", $v3.u32[5], $mask >> 5 & 1\n"
                                   "print $lane\n"
                                   "monitor stack\n"
                                   "backtrace 1\n"
                                   /* a condition on a lane of a register */
                                   "delete\n"
                                   "monitor lane all\n"
                                   "eval \"break diverge.s:%d if $v3.u32[7] == 200\", $loaded\n"
                                   "continue\n"
                                   "print $_thread\n"
                                   "print $v3.i32[7]\n"
                                   "print sizeof($v3)\n"
                                   "kill\n");
    EXPECT_IN_ORDER(&out, "Reading symbols from target:/diverge.elf", "lane 5 is active",
                    "Switching to Thread 3", "\"workgroup 0 warp 2\" hit Breakpoint 1, diverge ()",
                    "    vsll.vi v7, v3, 1\n", "x 35, active 1\n", "= 5\n", "SIMT stack of ",
                    "#0  diverge () at diverge.s:", "\"workgroup 1 warp 2\" hit Breakpoint 2",
                    "vmv.v.i v4, 0", "$2 = 7\n", "$3 = 200\n", "$4 = 128\n", "killed]");
}

/* From the entry, in start code without line information, to the first line of the kernel, and
 * further. */
TEST(lines)
{
    static const struct place places[] = {{"last", "vsw12.v"}};
    SCOPED(sam_buffer) settings = take_kernel("diverge.s", places, SAM_COUNT(places));
    struct sam_buffer out = gdb_on(DIVERGE, &settings,
                                   "step\nnext\nstep 2\nstepi\nnexti\n"
                                   "info threads\n"
                                   "thread apply 2 3 print $pc\n"
                                   "thread 4\n"
                                   "step\n"
                                   "print $wid\n"
                                   "x/2xw $knl\n"
                                   "x/2i $pc\n"
                                   "until diverge.s:40\n"
                                   "eval \"break %d\", $last\n"
                                   "continue\n"
                                   "info registers pc mask depth\n"
                                   "set var $v4.u32[9] = 1234\n"
                                   "print $v4.u32[9]\n"
                                   "set var $s1 = 77\n"
                                   "print $s1\n"
                                   "set {int}0x90000000 = 5\n"
                                   "print *(int *)0x90000000\n"
                                   "print *(int *)0x10\n");
    EXPECT_IN_ORDER(&out, "in _start ()", "diverge () at diverge.s:32\n32\t    lw      a1, 0(a0)\n",
                    "33\t    lw      a2, 4(a0)", "36\t    csrr    t0, knl",
                    "37\t    lw      t1, 24(t0)", "38\t    csrr    t2, gdx", "* 1 ",
                    "\"workgroup 0 warp 0\" (32 of 32 lanes) diverge () at diverge.s:38",
                    "\"workgroup 0 warp 3\" (32 of 32 lanes) 0x80000000 in _start ()",
                    "$1 = (void (*)()) 0x80000000 <_start>", "$2 = (void (*)())",
                    "[Switching to thread 4", "diverge () at diverge.s:32", "$3 = 3\n", "=> 0x",
                    "<diverge>:", "diverge () at diverge.s:40", "hit Breakpoint 1",
                    "mask           0xffffffff", "depth          0x0", "$4 = 1234\n", "$5 = 77\n",
                    "$6 = 5\n", "Cannot access memory at address 0x10\n");
}

#define REDUCE                                                                                     \
    "reduce.s --kernel reduce --grid 1 --block 128 --arg in:x.npy --arg out=out:u32:1:sum.npy "    \
    "--arg u32:256"

/* Over a barrier, for which the others must run; local memory. */
TEST(barriers)
{
    static const struct place places[] = {{"meet", "barrier 1"}, {"store", "vsw12.v v3, 0(v6)"}};
    SCOPED(sam_buffer) settings = take_kernel("reduce.s", places, SAM_COUNT(places));
    struct sam_buffer out = gdb_on(REDUCE, &settings,
                                   "eval \"tbreak reduce.s:%d\", $meet\n"
                                   "continue\n"
                                   "next\n"
                                   "info threads\n"
                                   "print *(int *)($s2 + 4 * 127)\n"
                                   "set scheduler-locking on\n"
                                   "thread 2\n"
                                   "next\nnext\nnext\n"
                                   "continue\n"
                                   "next\n"
                                   "set scheduler-locking off\n"
                                   "continue\n");
    /* the last lane adds items 127 and 255: 128 + 256 */
    EXPECT_IN_ORDER(&out, "hit Temporary breakpoint 1, reduce ()", "    barrier 1", "li      t1, 1",
                    "$1 = 384\n", "waits at a barrier for others, which may not run",
                    "received signal SIGSTOP", "exited normally]");
}

/* The writer of an address, and its previous value. */
TEST(backwards)
{
    static const struct place places[] = {{"last", "ret"}};
    SCOPED(sam_buffer) settings = take_kernel("reduce.s", places, SAM_COUNT(places));
    struct sam_buffer out = gdb_on(REDUCE, &settings,
                                   "tbreak reduce\n"
                                   "continue\n"
                                   "set $out = *(unsigned *)($a0 + 4)\n"
                                   "watch *(unsigned *)$out\n"
                                   "continue\n"
                                   "reverse-stepi\n"
                                   "print *(unsigned *)$out\n"
                                   "reverse-stepi\n"
                                   "stepi\nstepi\n"
                                   "print *(unsigned *)$out\n"
                                   "reverse-continue\n"
                                   "reverse-continue\n"
                                   "continue\n"
                                   "delete\n"
                                   "continue\n");
    EXPECT_IN_ORDER(&out, "hit Temporary breakpoint 1, reduce ()", "Hardware watchpoint 2",
                    "Old value = 0\nNew value = 32896\n", "$1 = 0\n", "$2 = 32896\n",
                    "Old value = 32896\nNew value = 0\n", "No more reverse-execution history",
                    "Old value = 0\nNew value = 32896\n", "exited normally]");
}

/* After detaching, the program runs to its end, and the outputs of the command line are written. */
TEST(ends)
{
    SCOPED(sam_buffer) settings = take_kernel("reduce.s", NULL, 0);
    write_text("break.gdb", "break reduce\ncontinue\n");
    struct sam_buffer out = gdb_on(REDUCE, NULL, "source break.gdb\ndetach\n");
    EXPECT_IN_ORDER(&out, "hit Breakpoint 1", "detached]");
    expect_file(".code", "0\n");
    assert_true(exists("sum.npy"));
    struct sam_buffer sum = read_file("sum.npy");
    assert_int_equal(sam_le32(sum.data + sum.size - 4), 256 * 257 / 2);
    sam_buffer_free(&sum);
    /* killed by gdb: nothing is written */
    FREED char *path = formatted("%s/sum.npy", directory);
    assert_int_equal(remove(path), 0);
    out = gdb_on(REDUCE, NULL, "source break.gdb\nkill\n");
    EXPECT_IN_ORDER(&out, "killed]");
    assert_false(exists("sum.npy"));
    /* a trap, repaired or not */
    out = gdb_on(REDUCE, NULL,
                 "source break.gdb\nset var $a0 = 0\ncontinue\nprint $pc\n"
                 "continue\n");
    EXPECT_IN_ORDER(&out, "samite: load from 0x00000000, outside every buffer",
                    "received signal SIGSEGV", "<reduce>", "terminated with signal SIGSEGV");
    expect_file(".err", "error: load from 0x00000000");
    out = gdb_on(REDUCE, NULL,
                 "source break.gdb\nset $was = $a0\nset var $a0 = 0\ncontinue\n"
                 "set var $a0 = $was\ndelete\ncontinue\n");
    EXPECT_IN_ORDER(&out, "received signal SIGSEGV", "exited normally]");
}

/* Over a port. */
TEST(over_a_port)
{
    static const char says[] = "samite: waiting for gdb on 127.0.0.1:";
    int status;
    SCOPED(sam_buffer) settings = take_kernel("reduce.s", NULL, 0);
    const pid_t child = start(REDUCE " --gdb=0");
    assert_true(comes(child, has_spoken, 0));
    struct sam_buffer err = read_file(".err");
    assert_memory_equal(sam_buffer_text(&err), says, sizeof says - 1);
    FREED char *target = formatted("127.0.0.1:%.5s", sam_buffer_text(&err) + sizeof says - 1);
    sam_buffer_free(&err);
    struct sam_buffer out = gdb(target, NULL, "break reduce\ncontinue\ndetach\n");
    EXPECT_IN_ORDER(&out, "hit Breakpoint 1, reduce () at reduce.s:", "detached]");
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* The tensor hart: RV64 and RV32 in assembly, and C if there is a compiler. */
TEST(hart)
{
    static const char text[] = "        .globl  _start\n"
                               "_start: li      a1, 0x80001000\n"
                               "        li      a2, 5\n"
                               "loop:   sw      a2, 0(a1)\n"
                               "        addi    a2, a2, -1\n"
                               "        bnez    a2, loop\n" /* line 6 */
                               "        li      a0, 3\n"
                               "        li      a7, 93\n"
                               "        ecall\n";
    static const char *const isas[] = {"rv64im_zicsr_zfinx_xtensorload_xmatrix",
                                       "rv32im_xtensorload"};
    for (int i = 0; i < 2; i++) {
        write_text("hart.s", text);
        FREED char *words =
            formatted("hart.s --machine tensor --map 0x80001000:4096 --isa %s", isas[i]);
        struct sam_buffer out = gdb_on(words, NULL,
                                       "info threads\n"
                                       "break 6 if $a2 == 2\n"
                                       "continue\n"
                                       "print $a2\n"
                                       "print sizeof($a0)\n"
                                       "print sizeof($tl3)\n"
                                       "watch *(int *)0x80001000\n"
                                       "continue\n"
                                       "reverse-stepi\n"
                                       "reverse-continue\n"
                                       "print $a2\n"
                                       "delete\n"
                                       "continue\n"
                                       "print $_exitcode\n");
        EXPECT_IN_ORDER(&out, "\"workgroup 0 warp 0\" (hart) _start () at hart.s:2",
                        "Breakpoint 1, loop () at hart.s:6", "$1 = 2\n",
                        i ? "$2 = 4\n" : "$2 = 8\n", "$3 = 1024\n",
                        "Old value = 3\nNew value = 2\n", "exited with code 03]", "= 3\n");
        expect_file(".err", "exit code 3");
    }
}

TEST(compiled)
{
    char line[512];
    if (system("command -v riscv64-unknown-elf-gcc >/dev/null") != 0)
        return;
    write_text("sum.c", "static int square(int x)\n"
                        "{\n"
                        "    int result = x * x;\n" /* line 3 */
                        "    return result;\n"
                        "}\n"
                        "struct pair { int first; short second[3]; } pair = {7, {1, 2, 3}};\n"
                        "void _start(void)\n"
                        "{\n"
                        "    int total = 0;\n"
                        "    for (int i = 0; i < 4; i++)\n"
                        "        total += square(i);\n" /* line 11 */
                        "    pair.first = total;\n"
                        "    register long code asm(\"a0\") = total;\n"
                        "    register long call asm(\"a7\") = 93;\n"
                        "    asm volatile(\"ecall\" : : \"r\"(code), \"r\"(call));\n"
                        "}\n");
    snprintf(line, sizeof line,
             "cd %s && riscv64-unknown-elf-gcc -g -O0 -march=rv64im -mabi=lp64 -mcmodel=medany "
             "-nostdlib "
             "-Wl,-Ttext=0x80000000 -o sum.elf sum.c",
             directory);
    assert_int_equal(system(line), 0);
    struct sam_buffer out = gdb_on("sum.elf --machine tensor", NULL,
                                   "break square if x == 2\n"
                                   "continue\n"
                                   "next\n"
                                   "print result\n"
                                   "backtrace\n"
                                   "finish\n"
                                   "print pair\n"
                                   "watch pair.first\n"
                                   "delete 1\n"
                                   "continue\n"
                                   "reverse-next\n"
                                   "print pair.first\n"
                                   "delete\n"
                                   "continue\n");
    EXPECT_IN_ORDER(&out, "Breakpoint 1, square (x=2) at sum.c:3", "return result;", "$1 = 4\n",
                    "#0  square (x=2)", "#1  0x", "in _start () at sum.c:11", "Value returned is ",
                    "= 4\n", "{first = 7, second = {1, 2, 3}}", "Old value = 7\nNew value = 14\n",
                    "exited with code 016]");
}

FIXTURE(prepare)
{
    make_directory();
    return 0;
}

PROLOGUE
{
    if (system("command -v gdb-multiarch >/dev/null") != 0)
        test_skip_all("needs gdb-multiarch");
}

TEST_GROUP(prepare, remove_directory)
