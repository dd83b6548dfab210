/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of the weight codec on generated PyTorch checkpoints and ONNX models, and on files
 * read through pipes. */
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "format/checkpoint.h"
#include "format/protobuf.h"

FIXTURE(make)
{
    make_directory();
    command_verb = "";
    return 0;
}

static void save(const char *name, struct sam_buffer bytes)
{
    FREED char *path = formatted("%s/%s", directory, name);
    succeeds(sam_file_save, path, bytes.data, bytes.size);
    sam_buffer_free(&bytes);
}

static void expect_file(const char *name, const void *bytes, size_t size)
{
    SCOPED(sam_buffer) file = read_file(name);
    assert_int_equal(file.size, size);
    assert_memory_equal(file.data, bytes, size);
}

static void expect_output(const char *words, const char *part)
{
    expect_parts(expect_success(words), part, NULL);
}

/* w and its transpose in one bf16 storage, b in f32, each large enough for planes. */
enum { ROWS = 64, COLUMNS = 48 };
static struct sam_buffer checkpoint(void)
{
    static const uint64_t shape[] = {ROWS, COLUMNS}, strides[] = {COLUMNS, 1},
                          turned[] = {COLUMNS, ROWS}, back[] = {1, COLUMNS}, one[] = {1},
                          count[] = {1000};
    static uint16_t w[ROWS * COLUMNS];
    static float b[1000];
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        w[i] = (uint16_t)(0x3c00 + i % 300);
    for (size_t i = 0; i < 1000; i++)
        b[i] = (float)i / 7;
    SCOPED(sam_buffer) p = pickle_begin();
    pickle_text(&p, "layer.weight");
    pickle_tensor(
        &p, &(struct pickled){"BFloat16Storage", "0", ROWS * COLUMNS, 0, 2, shape, strides, NULL});
    pickle_text(&p, "layer.turned");
    pickle_tensor(
        &p, &(struct pickled){"BFloat16Storage", "0", ROWS * COLUMNS, 0, 2, turned, back, NULL});
    pickle_text(&p, "bias");
    pickle_tensor(&p, &(struct pickled){"FloatStorage", "1", 1000, 0, 1, count, one, NULL});
    pickle_op(&p, "u.");
    struct zip z = {0};
    zip_add(&z, "m/data.pkl", p.data, p.size);
    zip_add(&z, "m/data/0", w, sizeof w);
    zip_add(&z, "m/data/1", b, sizeof b);
    return zip_end(&z);
}

/* A checkpoint whose pickle names a function. */
static struct sam_buffer hostile(void)
{
    struct zip z = {0};
    const char pickle[] = "\x80\x02"
                          "cos\nsystem\nX\5\0\0\0touch\x85R.";
    zip_add(&z, "m/data.pkl", pickle, sizeof pickle - 1);
    return zip_end(&z);
}

TEST(checkpoints)
{
    save("m.pt", checkpoint());
    expect_output(
        "info m.pt",
        "layer.turned                             bf16              48x64           6144");
    expect_output("info --json m.pt", "\"kind\": \"pytorch\"");
    expect_output("stat m.pt", "8 exponent + 8 raw");
    run_script("$SAMITE convert m.pt -o m.safetensors");
    /* layer.weight and its transpose, element by element. */
    SCOPED(sam_buffer) file = read_file("m.safetensors");
    struct sam_weights weights;
    size_t need;
    succeeds(sam_weights_parse, SAM_WEIGHTS_SAFETENSORS, file.data, file.size, file.size, "m",
             &weights, &need);
    assert_int_equal(weights.count, 3);
    const uint8_t *w = file.data + weights.tensors[0].offset,
                  *t = file.data + weights.tensors[1].offset;
    assert_string_equal(weights.tensors[1].name, "layer.turned");
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++)
            assert_memory_equal(t + 2 * (j * ROWS + i), w + 2 * (i * COLUMNS + j), 2);
    sam_weights_free(&weights);

    expect_output(
        "pack m.pt",
        "layer.weight                             bf16            64x48  8 exponent + 8 raw");
    run_script("$SAMITE unpack -q m.pt.smw -o back.pt && cmp m.pt back.pt");
    run_script("$SAMITE unpack -q m.pt.smw --tensor layer.weight -o w.bin");
    run_script(
        "$SAMITE pack -q --dtype u8 m.pt -o bytes.smw && $SAMITE info bytes.smw | grep -q 'data  "
        "*u8'");
    expect_output("info m.pt.smw", "raw, ");
    /* From a pipe, and from a file on standard input or on another descriptor. */
    run_script("cat m.pt | $SAMITE pack - -o piped.smw && cmp m.pt.smw piped.smw");
    run_script("$SAMITE pack - -o - <m.pt >piped.smw && cmp m.pt.smw piped.smw");
    run_script(
        "$SAMITE convert /dev/fd/3 -o c.safetensors 3<m.pt && cmp c.safetensors m.safetensors");
    run_script("cat m.pt | $SAMITE convert - -o d.safetensors && cmp d.safetensors m.safetensors");
}

TEST(refused_checkpoints)
{
    save("evil.pt", hostile());
    expect_failure("convert evil.pt -o x.safetensors", 2,
                   "evil.pt: no tensors, but an object made by 'system'");
    expect_failure(
        "pack evil.pt -o x.smw", 2,
        "evil.pt: no tensors, but an object made by 'system': expected tensors in dicts, "
        "lists and tuples, as in a state_dict() (--dtype u8 packs it as plain bytes)");
    run_script("$SAMITE pack -q --dtype u8 evil.pt -o evil.smw && $SAMITE unpack -q evil.smw -o "
               "evil.back && cmp evil.pt evil.back");
    expect_failure("info evil.pt", 2, "evil.pt: no tensors, but an object made by 'system'");
    run_script("printf '\\200\\002\\212\\012\\154\\374\\234\\106\\371\\040' >old.bin");
    expect_failure("convert old.bin -o x.safetensors", 2,
                   "old.bin: a checkpoint in the format "
                   "before PyTorch 1.6");
    expect_failure("convert a=evil.pt -o x.safetensors", 2, "names and types cannot be given");
    assert_false(exists("x.safetensors") || exists("x.smw") || has_temporary("x."));
    /* In a folder, unreadable files are copied, with the reason. */
    run_script(
        "mkdir in && cp evil.pt in/training_args.bin && head -c 900 /dev/zero >in/other.bin");
    save("in/pytorch_model.bin", checkpoint());
    struct outcome o = run("pack in -o out");
    assert_int_equal(o.code, 0);
    expect_part(&o.err, "in/training_args.bin: no tensors, but an object made by 'system'");
    expect_part(&o.err, "in/other.bin: copied unchanged: pack does not support this format");
    expect_part(&o.out, "in: 1 files packed");
    done(&o);
    run_script(
        "$SAMITE unpack -q out -o back && cmp in/pytorch_model.bin back/pytorch_model.bin && cmp "
        "in/training_args.bin back/training_args.bin");
}

TEST(external_data)
{
    struct sam_buffer graph = {0}, entry = {0};
    struct sam_buffer t = make_tensor("w", 1, 1, (uint64_t[]){2});
    put_text(&entry, 1, "location");
    put_text(&entry, 2, "w.data");
    put_message(&t, 13, entry);
    put_number(&t, 14, 1);
    put_message(&graph, 5, t);
    save("m.onnx", make_model(graph));
    write_text("w.data", "01234567");
    expect_output(
        "info m.onnx",
        "w                                        f32                   2              8");
    run_script("$SAMITE convert m.onnx -o o.safetensors && tail -c 8 o.safetensors >o.data");
    expect_file("o.data", "01234567", 8);
    run_script("rm w.data");
    expect_failure("convert m.onnx -o p.safetensors", 2, "m.onnx: external data 'w.data': No such");
    run_script("ln -s /etc/passwd w.data");
    expect_failure("info m.onnx", 2,
                   "m.onnx: external data 'w.data': a link that leaves the folder");
    assert_false(exists("p.safetensors"));
}

/* safetensors and gguf through pipes and numbered descriptors, packed and back. */
TEST(pipes)
{
    run_script("$SAMITE convert m.pt -o s.safetensors && $SAMITE pack -q s.safetensors -o s.smw");
    run_script("$SAMITE pack - -o - <s.safetensors >1.smw && cmp s.smw 1.smw");
    run_script("cat s.safetensors | $SAMITE pack - -o - >2.smw && cmp s.smw 2.smw");
    run_script("$SAMITE pack -q /dev/fd/3 -o 3.smw 3<s.safetensors && cmp s.smw 3.smw");
    run_script("cat s.safetensors | $SAMITE pack -q /dev/fd/0 -o 4.smw && cmp s.smw 4.smw");
    run_script("cat s.safetensors | (exec 3<&0; $SAMITE stat /dev/fd/3 </dev/null) >5 && "
               "$SAMITE stat s.safetensors >6 && tail -n 1 5 | sed 's/.*: //' >7 && "
               "tail -n 1 6 | sed 's/.*: //' | cmp - 7");
    run_script("cat s.smw | $SAMITE verify -q - && $SAMITE verify -q /dev/fd/3 3<s.smw");
    run_script(
        "cat s.smw | $SAMITE unpack /dev/fd/0 -o 8.safetensors && cmp 8.safetensors s.safetensors");
    run_script("cat s.smw | $SAMITE info /dev/fd/0 | grep -q layer.turned");
    run_script("$SAMITE unpack - --tensor bias -o bias.bin <s.smw && test -s bias.bin");
    /* A partly read file as standard input. */
    run_script("(dd bs=1 count=5 >/dev/null 2>&1; $SAMITE pack - -o - --dtype u8) <s.smw >9.smw && "
               "$SAMITE unpack - -o - <9.smw >9 && tail -c +6 s.smw | cmp - 9");
    /* gguf: two tensors, the end padded. */
    struct sam_buffer g = {0};
    sam_buffer_append(&g, "GGUF\3\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
    for (unsigned i = 0; i < 2; i++) {
        put_le(&g, 1, 8);
        sam_buffer_puts(&g, i ? "b" : "a");
        put_le(&g, 1, 4);
        put_le(&g, 1000, 8);
        put_le(&g, 1, 4); /* f16 */
        put_le(&g, i * 2016, 8);
    }
    sam_buffer_fill(&g, 0, (size_t)-g.size % 32);
    for (unsigned i = 0; i < 2016; i++)
        put_le(&g, 0x3c00 + i % 99, 2);
    save("m.gguf", g);
    run_script("$SAMITE pack -q m.gguf -o g.smw && cat m.gguf | $SAMITE pack - -o - >g2.smw && "
               "cmp g.smw g2.smw && $SAMITE pack - -o - <m.gguf >g3.smw && cmp g.smw g3.smw");
    run_script("$SAMITE pack -q /dev/fd/4 -o g4.smw 4<m.gguf && cmp g.smw g4.smw");
    /* Without the padding, the end is known only from a file. */
    run_script("head -c -16 m.gguf >n.gguf && $SAMITE pack -q n.gguf -o n.smw && "
               "$SAMITE pack - -o - <n.gguf >n2.smw && cmp n.smw n2.smw");
    run_script("if cat n.gguf | $SAMITE pack - -o - >n3.smw 2>err; then exit 1; fi; "
               "grep -q 'without padding after the last tensor' err");
}

TEST_GROUP(make, remove_directory)
