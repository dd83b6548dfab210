/* SPDX-License-Identifier: Apache-2.0 */
/* --part: ranks as started by a job array, and under mpirun if it is installed. Their combined
 * results equal those of one process. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "codec/weights.h"

/* in/: five shards of different sizes, two of them equal, an index and a configuration. */
static int make(void **state)
{
    static const size_t sizes[] = {300000, 40000, 40000, 1000000, 2000};
    uint64_t seed = 5;
    (void)state;
    make_directory();
    command_verb = "";
    for (size_t i = 0; i < SAM_COUNT(sizes); i++) {
        char path[128];
        FREED uint8_t *data = malloc(sizes[i]);
        assert_non_null(data);
        test_weights(SAM_BF16, data, sizes[i], 0.02, &seed);
        snprintf(path, sizeof path, "%s/%zu", directory, i);
        succeeds(sam_file_save, path, data, sizes[i]);
    }
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PALS_RANKID", "PMI_RANK",
                                            "SLURM_PROCID", "SLURM_ARRAY_TASK_ID"};
    for (size_t i = 0; i < SAM_COUNT(variables); i++) /* of the job that runs the tests */
        unsetenv(variables[i]);
    run_script(
        "mkdir in; for i in 0 1 2 3 4; do "
        "$SAMITE convert w$i=$i:bf16 -o in/s$i.safetensors; done; echo '{}' >in/config.json; "
        "echo '{\"weight_map\":{\"w0\":\"s0.safetensors\",\"w4\":\"s4.safetensors\"}}' "
        ">in/model.safetensors.index.json; $SAMITE pack -q in -o one");
    return 0;
}

static void expect_same_folder(const char *a, const char *b)
{
    char command[1024];
    snprintf(command, sizeof command, "diff -r %s %s", a, b);
    run_script(command);
}

/* An array of three: ranks run in any order, one at a time, and the result equals that of one
 * process. */
TEST(packs_in_parts)
{
    run_script("$SAMITE pack -q --part 2/3 in -o three; test -e three/.samite-part-2-of-3");
    expect_failure("verify -q three", 2, "three: incomplete: part 1/3 is not done");
    expect_failure("unpack -q three -o x", 2, "three: incomplete: part 1/3 is not done");
    expect_failure("pack -q in -o three", 2, "three: incomplete: part 1/3 is not done");
    run_script("$SAMITE pack -q --part 3/3 in -o three");
    run_script("$SAMITE pack -q --part 1/3 in -o three");
    expect_same_folder("one", "three");
    /* More parts than files, all concurrent. */
    run_script(
        "for i in 1 2 3 4 5 6 7 8 9 10; do $SAMITE pack -q --part $i/10 in/ -o ten & done; wait");
    expect_same_folder("one", "ten");
    run_script("for i in 1 2; do $SAMITE unpack -q --part $i/2 ten -o back & done; wait");
    expect_same_folder("in", "back");
    run_script("for i in 1 2; do $SAMITE verify --part $i/2 ten; done | sort >v2; "
               "$SAMITE verify ten | sort | cmp - v2");
    run_script("for i in 1 2 3; do $SAMITE stat --part $i/3 in; done | grep '^w' | sort >s3; "
               "$SAMITE stat in | grep '^w' | sort | cmp - s3; test $(wc -l <s3) = 5");
}

/* The largest file first, each to the part with the least so far. */
TEST(splits_by_size)
{
    run_script(
        "$SAMITE pack --part 1/2 in -o split 2>/dev/null | grep -c '^in/' >n; "
        "test \"$(ls split | grep smw)\" = s3.safetensors.smw; $SAMITE pack -q --part 2/2 in -o "
        "split");
    expect_same_folder("one", "split");
    /* Equal sizes in order of names: s1 goes to the first of three parts, after the two large
     * ones. */
    run_script("$SAMITE pack -q --part 3/3 in -o equal; test \"$(ls equal | grep smw)\" = "
               "\"$(printf 's1.safetensors.smw\\ns2.safetensors.smw\\ns4.safetensors.smw')\"");
}

TEST(refuses_disorder)
{
    expect_failure("pack --part 0/2 in -o x", 2, "--part 0/2: expected I/N");
    expect_failure("pack --part 3/2 in -o x", 2, "--part 3/2: expected I/N");
    expect_failure("pack --part 1 in -o x", 2, "--part 1: expected I/N");
    expect_failure("pack --part 1/70000 in -o x", 2, "expected I/N");
    expect_failure("pack --part auto in -o x", 2, "no launcher found");
    expect_failure("unpack --part 1/2 one/s0.safetensors.smw", 2, "--part applies to a folder");
    expect_failure("stat --part 1/2 in/s0.safetensors", 2, "--part applies to a folder");
    expect_failure("pack --part 1/2 - -o x", 2, "--part needs files");
    assert_false(exists("x"));
    /* A finished part; parts of other counts, options or files. */
    run_script("$SAMITE pack -q --part 1/2 in -o out; cp -r out before");
    expect_failure("pack -q --part 1/2 in -o out", 2, "part 1/2 is done: use -f to do it again");
    expect_failure("pack -q --part 1/3 in -o out", 2, "a run of 2 parts has worked here");
    expect_failure("pack -q --planes bit --part 2/2 in -o out", 2, "with other options");
    run_script("cp -r in more; echo 1 >more/vocab.txt");
    expect_failure("pack -q --part 2/2 more -o out", 2, "works on other files");
    write_text("out/.samite-part-2-of-2", "something else");
    expect_failure("pack -q --part 2/2 in -o out", 2, "not a record of a part");
    run_script("rm out/.samite-part-2-of-2 out/.samite-part-3-of-3 2>/dev/null || true");
    expect_same_folder("before", "out");
    /* -f redoes a part; the other part still completes. */
    run_script("$SAMITE pack -qf --part 1/2 in -o out; $SAMITE pack -q --part 2/2 in -o out");
    expect_same_folder("one", "out");
}

/* A record held by another process prevents a second run of the part, with and without -f. */
TEST(locks)
{
    run_script("mkdir held; echo 'samite part 0000000000000000 working' >held/.samite-part-1-of-2");
    char path[128];
    snprintf(path, sizeof path, "%s/held/.samite-part-1-of-2", directory);
    FILE *file = fopen(path, "r+");
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    assert_non_null(file);
    assert_int_equal(fcntl(fileno(file), F_SETLK, &all), 0);
    expect_failure("pack -q --part 1/2 in -o held", 2, "another process works on part 1/2");
    expect_failure("pack -qf --part 1/2 in -o held", 2, "another process works on part 1/2");
    fclose(file);
    /* The record of a killed process is taken over. */
    run_script("$SAMITE pack -q --part 1/2 in -o held; $SAMITE pack -q --part 2/2 in -o held");
    expect_same_folder("one", "held");
}

/* A failed rank leaves no output of its own, and keeps the output of others. */
TEST(a_rank_fails)
{
    run_script("cp -r in bad; printf '\\377\\377\\377\\377\\0\\0\\0\\0' | dd of=bad/s3.safetensors "
               "conv=notrunc 2>/dev/null; $SAMITE pack -q --part 2/2 bad -o some; ls some >listed");
    expect_failure("pack -q --part 1/2 bad -o some", 2, "bad/s3.safetensors: not a safetensors");
    run_script("ls some | cmp - listed");
    expect_failure("verify -q some", 2, "some: incomplete: part 1/2 is not done");
    run_script("cp in/s3.safetensors bad; $SAMITE pack -q --part 1/2 bad -o some");
    expect_same_folder("one", "some");
}

/* The variables of launchers, counted from 0. */
TEST(launchers)
{
    static const char *const ranks[][2] = {
        {"OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1",
         "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1"},
        {"PMI_RANK=0 PMI_SIZE=2", "PMI_RANK=1 PMI_SIZE=2"},
        {"PALS_RANKID=0 PMI_RANK=0 PMI_SIZE=2", "PALS_RANKID=1 PMI_RANK=1 PMI_SIZE=2"},
        {"SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_NTASKS=2",
         "SLURM_PROCID=1 SLURM_STEP_ID=0 SLURM_NTASKS=2"},
        {"SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=3 "
         "SLURM_ARRAY_TASK_MAX=8 SLURM_ARRAY_TASK_COUNT=2",
         "SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_ARRAY_TASK_ID=8 SLURM_ARRAY_TASK_MIN=3 "
         "SLURM_ARRAY_TASK_MAX=8 SLURM_ARRAY_TASK_COUNT=2"},
    };
    for (size_t i = 0; i < SAM_COUNT(ranks); i++) {
        char command[512];
        for (size_t r = 0; r < 2; r++) {
            snprintf(command, sizeof command, "%s $SAMITE pack -q --part auto in -o auto%zu",
                     ranks[i][r], i);
            run_script(command);
            snprintf(command, sizeof command, "test %s auto%zu/.samite-part-%zu-of-2",
                     r ? "! -e" : "-e", i, r + 1);
            run_script(command);
        }
        snprintf(command, sizeof command, "auto%zu", i);
        expect_same_folder("one", command);
    }
    /* An array of two jobs with two tasks each makes four parts. */
    run_script(
        "SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=0 "
        "SLURM_ARRAY_TASK_MAX=1 SLURM_ARRAY_TASK_COUNT=2 $SAMITE pack -q --part auto in -o four; "
        "test -e four/.samite-part-4-of-4");
    static const char *const wrong[][2] = {
        {"PMI_RANK=2 PMI_SIZE=2", "PMI gives rank 2 of 2"},
        {"PMI_RANK=0", "PMI: a rank without a size"},
        {"OMPI_COMM_WORLD_RANK=x OMPI_COMM_WORLD_SIZE=2",
         "Open MPI: a rank without a size, or not"},
        {"SLURM_PROCID=0 SLURM_NTASKS=4", "no launcher found"}, /* the batch script */
        {"SLURM_ARRAY_TASK_ID=1", "no SLURM_ARRAY_TASK_MIN"},
        {"SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=9 "
         "SLURM_ARRAY_TASK_COUNT=3",
         "not evenly spaced"},
    };
    for (size_t i = 0; i < SAM_COUNT(wrong); i++) {
        char command[512];
        snprintf(command, sizeof command,
                 "if %s $SAMITE pack -q --part auto in -o no 2>err; then exit 1; fi; "
                 "grep -q '%s' err; test ! -e no",
                 wrong[i][0], wrong[i][1]);
        run_script(command);
    }
}

/* One file in parts, then joined. */
TEST(one_file)
{
    run_script("cat 0 1 2 3 4 3 3 3 >big; $SAMITE convert a=big:bf16 b=3:bf16 -o big.safetensors; "
               "$SAMITE pack -q big.safetensors -o whole.smw");
    run_script(
        "for i in 1 2 3; do $SAMITE pack --part $i/3 big.safetensors -o big.smw & done >said; "
        "wait; grep -q 'big.safetensors: part 2/3, .* bytes, big.smw.part-2-of-3: ' said; "
        "$SAMITE merge big.smw >said; grep -q '^big.smw: 3 parts, ' said; cmp big.smw whole.smw");
    run_script(
        "$SAMITE merge -f --remove big.smw.part-3-of-3 big.smw.part-1-of-3 big.smw.part-2-of-3; "
        "cmp big.smw whole.smw; test ! -e big.smw.part-1-of-3");
    /* By default next to the file, as with pack. */
    run_script(
        "PMI_RANK=0 PMI_SIZE=1 $SAMITE pack -q --part auto big.safetensors; "
        "$SAMITE merge -q big.safetensors.smw.part-1-of-1; cmp big.safetensors.smw whole.smw; "
        "$SAMITE merge -o - big.safetensors.smw.part-1-of-1 | cmp - whole.smw");
    run_script("$SAMITE pack -q --part 1/2 big.safetensors -o m.smw; rm -f m.smw");
    expect_failure("pack -q --part 1/2 big.safetensors -o m.smw", 2, "m.smw.part-1-of-2: exists");
    expect_failure("merge m.smw", 2, "part 2/2 is missing");
    expect_failure("merge none.smw", 2, "none.smw: no parts of it");
    run_script("cp m.smw.part-1-of-2 twice.part-2-of-2");
    expect_failure("merge m.smw.part-1-of-2 twice.part-2-of-2", 2, "part 1/2 is given twice");
    expect_failure("merge -o x.smw m.smw.part-1-of-2 big.safetensors", 2,
                   "big.safetensors: not a part of a packed file");
    run_script("$SAMITE pack -q --planes bit --part 2/2 big.safetensors -o m.smw");
    expect_failure("merge m.smw", 2, "packed with other options");
    run_script("$SAMITE pack -qf --part 2/2 big.safetensors -o m.smw; touch m.smw");
    expect_failure("merge m.smw", 2, "m.smw: exists: use -f");
    run_script("head -c 500000 m.smw.part-2-of-2 >cut; mv cut m.smw.part-2-of-2");
    expect_failure("merge -f m.smw", 2, "m.smw.part-2-of-2: ");
    run_script(
        "test ! -s m.smw; $SAMITE pack -q --part 1/2 in/s0.safetensors -o p.smw; "
        "cat in/s0.safetensors | (if $SAMITE pack -q --part 1/2 /dev/fd/0 -o pipe.smw; then exit "
        "1; fi) 2>err; grep -q 'part needs a file' err; test ! -e pipe.smw.part-1-of-2");
    assert_false(exists("x.smw"));
}

/* Two ranks under Open MPI. Skipped without it. */
TEST(under_mpirun)
{
    if (system("command -v mpirun >/dev/null 2>&1") != 0)
        return;
    run_script(
        "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; "
        "mpirun -n 2 --oversubscribe true 2>/dev/null || exit 0; "
        "mpirun -n 2 --oversubscribe $SAMITE pack -q --part auto in -o mpi; diff -r one mpi; "
        "mpirun -n 2 --oversubscribe $SAMITE unpack -q --part auto mpi -o mpi.back; "
        "diff -r in mpi.back; mpirun -n 2 --oversubscribe $SAMITE verify -q --part auto mpi; "
        "mpirun -n 2 --oversubscribe $SAMITE pack -q --part auto in/s3.safetensors -o mpi.smw; "
        "$SAMITE merge -q mpi.smw; cmp mpi.smw one/s3.safetensors.smw");
    run_script(
        "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; "
        "mpirun -n 2 --oversubscribe true 2>/dev/null || exit 0; "
        "printf '  li a0, 0\\n  li a7, 93\\n  ecall\\n' >exit.s; set -- sweep exit.s --config "
        "scalar_cpi=1,2,3; $SAMITE \"$@\" -o swept.csv; "
        "mpirun -n 2 --oversubscribe $SAMITE \"$@\" --part auto -o mpi.csv; "
        "$SAMITE sweep --merge mpi.csv; cmp swept.csv mpi.csv");
}

TEST_GROUP(make, remove_directory)
