/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests of TensorFlow.js: valid ones, and errors. */

#include "test.h"

#include "samite/format.h"

#define MANIFEST(groups) "{\"format\":\"layers-model\",\"weightsManifest\":[" groups "]}"
#define GROUP(weights)   MANIFEST("{\"paths\":[\"w.bin\"],\"weights\":[" weights "]}")
#define QUANTIZED(dtype, how)                                                                      \
    GROUP("{\"name\":\"k\",\"shape\":[4],\"dtype\":\"" dtype "\",\"quantization\":" how "}")

static struct sam_tfjs parse(const char *text)
{
    struct sam_tfjs t;
    succeeds(sam_tfjs_parse, text, strlen(text), "m.json", &t);
    return t;
}

static void refuse(const char *text, const char *part)
{
    struct sam_tfjs t;
    struct sam_error error;
    assert_int_equal(sam_tfjs_parse(text, strlen(text), "m.json", &t, &error), SAM_ERR_INPUT);
    if (strncmp(error.text, "m.json: ", 8) != 0 || !strstr(error.text, part))
        fail_msg("'%s' does not say '%s'", error.text, part);
    assert_null(t.tensors);
}

TEST(groups)
{
    SCOPED(sam_tfjs) t =
        parse(MANIFEST("{\"paths\":[\"a.bin\",\"b.bin\"],\"weights\":["
                       "{\"name\":\"conv/kernel\",\"shape\":[2,3],\"dtype\":\"float32\"},"
                       "{\"name\":\"step\",\"shape\":[],\"dtype\":\"int32\"}]},"
                       "{\"paths\":[\"c.bin\"],\"weights\":["
                       "{\"name\":\"mask\",\"shape\":[3],\"dtype\":\"bool\"},"
                       "{\"name\":\"half\",\"shape\":[1],\"dtype\":\"float32\",\"quantization\":"
                       "{\"dtype\":\"float16\",\"original_dtype\":\"float32\"}}]}"));
    static const uint64_t sizes[] = {24, 4, 3, 2}, offsets[] = {0, 24, 0, 3};
    static const enum sam_dtype kinds[] = {SAM_F32, SAM_I32, SAM_BOOL, SAM_F16};
    assert_int_equal(t.group_count, 2);
    assert_int_equal(t.groups[0].path_count, 2);
    assert_string_equal(t.groups[0].paths[1], "b.bin");
    assert_int_equal(t.groups[0].size, 28);
    assert_int_equal(t.groups[1].size, 5);
    assert_int_equal(t.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(t.tensors[i].size, sizes[i]);
        assert_int_equal(t.tensors[i].type, kinds[i]);
        assert_int_equal(t.stored[i].offset, offsets[i]);
        assert_int_equal(t.stored[i].group, i / 2);
    }
    assert_string_equal(t.tensors[0].name, "conv/kernel");
    assert_int_equal(t.tensors[0].shape[1], 3);
    uint8_t out[3];
    sam_tfjs_take(&t, 2, "\1\2\3\4\5", out);
    assert_memory_equal(out, "\1\2\3", 3);
}

TEST(quantized)
{
    float out[4];
    struct sam_tfjs t =
        parse(QUANTIZED("float32", "{\"dtype\":\"uint8\",\"scale\":0.25,\"min\":-2}"));
    assert_int_equal(t.groups[0].size, 4);
    assert_int_equal(t.tensors[0].size, 16);
    sam_tfjs_take(&t, 0, "\0\1\10\377", out);
    assert_true(out[0] == -2.0F && out[1] == -1.75F && out[2] == 0.0F && out[3] == 61.75F);
    sam_tfjs_free(&t);
    t = parse(QUANTIZED("float32", "{\"dtype\":\"uint16\",\"scale\":1e-3,\"min\":0.1}"));
    sam_tfjs_take(&t, 0, "\0\0\1\0\0\1\377\377", out);
    assert_true(out[0] == (float)0.1 && out[1] == (float)(1e-3 + 0.1));
    assert_true(out[2] == (float)(256 * 1e-3 + 0.1) && out[3] == (float)(65535 * 1e-3 + 0.1));
    sam_tfjs_free(&t);
    refuse(QUANTIZED("int32", "{\"dtype\":\"uint8\",\"scale\":1,\"min\":0}"),
           "'k': quantized elements other than float32");
    refuse(QUANTIZED("float32", "{\"dtype\":\"uint8\",\"scale\":1}"), "'k': quantization that");
    refuse(QUANTIZED("float32", "{\"dtype\":\"int32\",\"scale\":1,\"min\":0}"),
           "quantization that");
    refuse(QUANTIZED("float32", "{\"dtype\":\"q4\",\"scale\":1,\"min\":0}"),
           "unknown dtype of its");
    refuse(QUANTIZED("float32", "7"), "unknown dtype of its");
}

TEST(refused)
{
    refuse("{", "damaged JSON");
    refuse("", "damaged JSON");
    refuse("[]", "JSON without a weightsManifest");
    refuse("{\"a\":1}", "JSON without a weightsManifest");
    refuse(MANIFEST("5"), "a group of weights without paths");
    refuse(MANIFEST("{\"paths\":[\"w\"]}"), "a group without weights");
    static const char *const paths[] = {"../w", "/etc/passwd", "a/b", ".hidden", "", "a\\\\b"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char text[200] = "{\"weightsManifest\":[{\"paths\":[\"";
        strcat(strcat(text, paths[i]), "\"],\"weights\":[]}]}");
        refuse(text, "not a file name in the same folder");
    }
    refuse(GROUP("{\"shape\":[1],\"dtype\":\"bool\"}"), "a weight without a name");
    refuse(GROUP("{\"name\":\"s\",\"shape\":[1],\"dtype\":\"string\"}"), "'s': a dtype other than");
    refuse(GROUP("{\"name\":\"s\",\"shape\":[-1],\"dtype\":\"bool\"}"), "'s': it has no shape");
    refuse(GROUP("{\"name\":\"s\",\"shape\":[4611686018427387904],\"dtype\":\"float32\"}"),
           "'s': a shape that is too large");
    refuse(GROUP("{\"name\":\"s\",\"shape\":[9223372036854775807],\"dtype\":\"bool\"},"
                 "{\"name\":\"t\",\"shape\":[1],\"dtype\":\"bool\"}"),
           "'t': a group that is too large");
    struct sam_tfjs t;
    struct sam_error error;
    assert_int_equal(sam_tfjs_parse(NULL, 0, "m.json", &t, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_tfjs_parse("{}", 2, NULL, &t, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_tfjs_parse("{}", 2, "m.json", NULL, &error), SAM_ERR_USAGE);
    sam_tfjs_free(NULL);
}
