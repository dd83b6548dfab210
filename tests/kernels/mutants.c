/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong operations, missing bounds checks, missing barriers, wrong joins. */
#include "mutants.h"

#include "test.h"
#include <unistd.h>

const struct mutant mutants[] = {
    {"vecadd", "vfadd.vv v5, v5, v6", "vfsub.vv v5, v5, v6"},
    {"vecadd", "vmsltu.vx v4, v2, a4", "vmv.v.i v4, 1"},
    {"saxpy", "vfmacc.vf v6, a4, v5", "vfnmsac.vf v6, a4, v5"},
    {"saxpy", "add     a2, a2, s2", "nop"},
    {"saxpy", "vbgeu   v2, v4, .Ldone", "vbltu   v4, v2, .Ldone"},
    {"matadd", "vdivu.vx v3, v1, t1", "vdivu.vx v3, v1, t2"},
    {"matadd", "vbgeu   v4, v6, .Lcolumn", "nop"},
    {"matadd", "vmul.vx v7, v5, a5", "vmul.vx v7, v5, a4"},
    {"sgemm", "barrier 1                       # the tiles", "nop # the tiles"},
    {"sgemm", "barrier 1                       # everyone", "nop # everyone"},
    {"sgemm", "bleu    t1, s1, .Lbound", "nop"},
    {"sgemm", "vand.vv v6, v6, v7", "nop"},
    {"sgemm_rows", "barrier 1                       # the tile", "nop # the tile"},
    {"sgemm_rows", "barrier 1                       # everyone", "nop # everyone"},
    {"sgemm_rows", "bleu    t3, t0, .Lbound", "nop"},
    {"sgemm_rows", "bgeu    s2, a4, .Lend", "nop"},
    {"sgemm_rows", "vmsltu.vx v4, v1, a5", "vmv.v.i v4, 1"},
    {"reduce", "barrier 1", "nop"},
    {"reduce", "bnez    t1, .Lout", "nop"},
    {"reduce", "addi    t1, s3, 1", "mv t1, s3"},
    {"scan", "barrier 1\n    slli", "nop\n    slli"},
    {"scan", "addi    t1, s1, -1", "addi    t1, s1, -2"},
    {"scan", "lw      s1, -4(t0)", "lw s1, 0(t0)"},
    {"softmax", "vfexp.v v4, v4", "vfadd.vv v4, v4, v4"},
    {"softmax", "vfdiv.vf v4, v4, s5", "vfmul.vf v4, v4, s5"},
    {"softmax", "tree    vfadd.vv", "tree    vfmax.vv"},
    {"softmax", "    barrier 1\n    addi", "    nop\n    addi"},
    {"softmax", "vmul.vx v10, v10, a3", "vmv.v.i v10, 0"},
    {"transpose", "barrier 1", "nop"},
    {"transpose", "vmul.vx v9, v2, s3", "vmul.vx v9, v3, s3"},
    {"transpose", "vmsltu.vx v8, v6, a3", "vmv.v.i v8, 1"},
    {"histogram", "vadd.vi v3, v3, 1", "vadd.vi v3, v3, 2"},
    {"histogram", "barrier 1", "nop"},
    {"histogram", "vbeq    v7, v5, .Lsent", "vbeq    v7, v7, .Lsent"},
    {"bfs", "vbne    v12, v9, .Lseen", "nop"},
    {"bfs", "vadd.vi v7, v7, 1", "vadd.vi v7, v7, 2"},
    {"bfs", "sw      t1, 0(a3)", "nop"},
    {"diverge", ".Lmixed:\n    join", ".Lmixed:\n    nop"},
    {"diverge", ".Lodd:\n    join", ".Lodd:\n    nop"},
    {"diverge", "vxor.vv v4, v4, v3", "vadd.vv v4, v4, v3"},
    {"spill", "vsb.v   v8, BYTES(v6)", "nop"},
    {"spill", "vmv.v.v v40, v2", "nop"},
    {"spill", ".equ    BYTES, 128", ".equ    BYTES, 64"},
    {"vftta", "vmsltu.vx v10, v3, a6", "vmv.v.i v10, 1"},
    {"vftta", "vftta.vv v14, v13, v12", "vftta.vv v14, v12, v13"},
    {"vftta", "vand.vv v10, v10, v6", "nop"},
};
const size_t mutant_count = sizeof mutants / sizeof mutants[0];

void mutant_write(const struct mutant *mutant, struct mutant_file *file)
{
    char source[65536], path[4096];
    snprintf(path, sizeof path, "%s/%s.s", KERNEL_DIR, mutant->kernel);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    const size_t size = fread(source, 1, sizeof source - 1, in);
    fclose(in);
    source[size] = '\0';
    const char *at = strstr(source, mutant->from);
    if (!at)
        fail_msg("%s.s does not contain '%s'", mutant->kernel, mutant->from);
    strcpy(file->dir, "/tmp/samite-mutant-XXXXXX");
    assert_non_null(mkdtemp(file->dir));
    snprintf(file->path, sizeof file->path, "%s/%s.s", file->dir, mutant->kernel);
    FILE *out = fopen(file->path, "w");
    assert_non_null(out);
    assert_true(fprintf(out, "%.*s%s%s", (int)(at - source), source, mutant->to,
                        at + strlen(mutant->from)) >= 0);
    assert_int_equal(fclose(out), 0);
}

void mutant_remove(const struct mutant_file *file)
{
    unlink(file->path);
    rmdir(file->dir);
}
