/* SPDX-License-Identifier: Apache-2.0 */
/* `samite sweep --part` and `--merge`: the parts of a sweep give what one process gives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

static const char copy[] = "        li      t0, 0x200104\n"
                           "        csrw    tshape, t0\n"
                           "        li      t0, 32\n"
                           "        csrw    tload_width, t0\n"
                           "        csrw    tstore_width, t0\n"
                           "        .rept   8\n"
                           "        tl.load tl1, 0(a0)\n"
                           "        tl.store tl1, 0(a1)\n"
                           "        .endr\n"
                           "        li      a0, CODE\n"
                           "        li      a7, 93\n"
                           "        ecall\n";

#define COPY  "copy.s --map 0x10000:8192 --reg a0=0x10000 --reg a1=0x11000 "
#define AXES  "-D CODE=0 " LOOPS
#define LOOPS "--config load_latency=10,50,90 --config queue=1,2 "

static int set_up(void **state)
{
    (void)state;
    command_verb = "sweep";
    make_directory();
    write_text("copy.s", copy);
    setenv("SOURCE_DATE_EPOCH", "86400", 1);
    return 0;
}

/* Table, page and JSON; parts in any order, and with more parts than runs. */
TEST(merged)
{
    run_script("$SAMITE sweep " COPY AXES "-o out.csv --html out.html; mv out.csv one.csv; "
               "mv out.html one.html; $SAMITE sweep " COPY AXES "--json >one.json");
    run_script(
        "for i in 3 1 2; do $SAMITE sweep " COPY AXES "-o out.csv --part $i/3 >said; "
        "test ! -s said; test ! -e out.csv; done; $SAMITE sweep --merge out.csv --html out.html; "
        "cmp out.csv one.csv; cmp out.html one.html; "
        "$SAMITE sweep --merge out.csv --json | cmp - one.json; rm out.csv.part-*");
    run_script("for i in 0 1 2 3 4 5 6; do PMI_SIZE=7 PMI_RANK=$i $SAMITE sweep " COPY AXES
               "-j 2 -o out.csv --part auto & done; wait; $SAMITE sweep --merge out.csv -o - | "
               "cmp - one.csv; test $(ls out.csv.part-* | wc -l) = 7; rm out.csv.part-*");
}

/* Runs that fail are told by the part, and by the table. */
TEST(failures)
{
    run_script(
        "$SAMITE sweep " COPY "-D CODE=3 " LOOPS "-o out.csv 2>err || test $? = 1; mv out.csv "
        "bad.csv; for i in 1 2; do if $SAMITE sweep " COPY "-D CODE=3 " LOOPS
        "-o out.csv --part $i/2 2>err; then exit 1; fi; grep -q 'run '$i': exit code 3' err; done; "
        "if $SAMITE sweep --merge out.csv 2>err; then exit 1; fi; grep -q 'run 1: exit code 3' "
        "err; cmp out.csv bad.csv; rm out.csv.part-*");
}

TEST(refusals)
{
    expect_failure(COPY AXES "--part 1/2", 2, "--part needs -o FILE");
    expect_failure(COPY AXES "--part 1/2 -o x.csv --html x.html", 2, "--html belongs to --merge");
    expect_failure("--merge x.csv --config queue=1", 2, "neither a program nor --config");
    expect_failure("--merge x.csv", 2, "x.csv: no parts of it");
    run_script("$SAMITE sweep " COPY AXES "-o x.csv --part 1/2");
    expect_failure("--merge x.csv", 2, "x.csv: part 2/2 is missing");
    run_script("cp x.csv.part-1-of-2 x.csv.part-2-of-2");
    expect_failure("--merge x.csv", 2, "is one part given twice?");
    run_script("$SAMITE sweep " COPY "-D CODE=0 --config queue=1,2 -o x.csv --part 2/2");
    expect_failure("--merge x.csv", 2, "x.csv.part-2-of-2: of another sweep than the first part");
    run_script("$SAMITE sweep " COPY AXES
               "-o x.csv --part 2/2; sed -i 's/\"done\":true/\"done\":false/' "
               "x.csv.part-2-of-2");
    expect_failure("--merge x.csv", 2, "x.csv.part-2-of-2: damaged");
    run_script("head -c 300 x.csv.part-1-of-2 >cut; mv cut x.csv.part-2-of-2");
    expect_failure("--merge x.csv", 2, "x.csv.part-2-of-2: damaged");
    run_script("cp x.csv.part-1-of-2 x.csv.part-1-of-3");
    expect_failure("--merge x.csv", 2, "parts of two sweeps");
    assert_false(exists("x.csv") || exists("x.html"));
}

TEST_GROUP(set_up, remove_directory)
