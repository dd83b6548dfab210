/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as lines and as CSV: each form of a value, written by hand. */

#include "test.h"

#include "tree/tree.h"

static const char document[] =
    "{\"n\": 3, \"one\": 1, \"zero\": 0, \"all\": 12, \"real\": 2.5, \"big\": 1234567, \"on\": "
    "true,"
    " \"nothing\": null, \"text\": \"a\\tb\", \"none\": \"\", \"list\": [4, 5, 6], \"empty\": [],"
    " \"in\": {\"n\": 7},"
    " \"part\": {\"busy\": 6, \"raw\": 1, \"load\": 3, \"bank\": 0, \"fetch\": 3},"
    " \"rows\": [{\"n\": 1}, {\"n\": 0}, {\"n\": 2, \"all\": 4}]}";

static const struct {
    const char *lines, *printed;
} forms[] = {
    {"plain\n", "plain\n"},
    {"{n} {in.n} {real} {text} {nothing}|\n", "3 7 2 a?b |\n"},
    {"{n:4}|{n:-4}|{text:5}|{text:-5}|\n", "   3|3   |  a?b|a?b  |\n"},
    {"{real:.2} {real:7.2} {big:x} {big:.1M} {big:.3k} {real:.0m}\n",
     "2.50    2.50 0x12d687 1.2 1234.567 2500\n"},
    {"{n/all:.2} {n%all:6.1} {n/zero:.1} {n%zero:.1}\n", "0.25   25.0 0.0 0.0\n"},
    {"[{n#all:8}] [{zero#all:3}] [{all#all:3}]\n", "[##......] [...] [###]\n"},
    {"x{part^all}\n", "x  raw 8.3  load 25.0  fetch 25.0\n"},
    {"x{part>all}\n", "xload 25.0, fetch 25.0, raw 8.3\n"},
    {"x{in>all}{in^all}\n", "x\n"},
    {"{list*x} {list*, } {empty*x?none} {none?no} {text?no}\n", "4x5x6 4, 5, 6 none no a?b\n"},
    {"{one} {one|warp|warps} {n|warp|warps} {on|yes|no}\n", "1 warp warps yes\n"},
    {"?n there\n?zero not\n?empty not\n?none not\n?missing not\nend\n", "there\nend\n"},
    {"*rows {key}: {n} of {all}\n", "0: 1 of 12\n1: 0 of 12\n2: 2 of 4\n"},
    {"*rows?n {key}: {n}\n", "0: 1\n2: 2\n"},
    {"*rows:2 {key}: {n}\n", "0: 1\n1: 0\n"},
    {"*in {key}={value}\n*empty never\n", "n=7\n"},
};

TEST(forms_of_values)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        FREED char *text = NULL;
        json_t *tree = json_loads(document, 0, NULL);
        assert_non_null(tree);
        succeeds(sam_tree_report, tree, forms[i].lines, "", &text);
        assert_string_equal(text, forms[i].printed);
    }
}

TEST(no_memory)
{
    struct sam_error error;
    char *text = (char *)document;
    assert_int_equal(sam_tree_report(NULL, "x\n", "", &text, &error), SAM_ERR_MEMORY);
    assert_null(text);
    /* The same for several members in one call, the later of which are freed as well. */
    assert_null(sam_tree_members(json_object(), "a", json_null(), "b", (json_t *)NULL, "c",
                                 json_array(), (const char *)NULL));
    /* A value that could not be created frees the chain. */
    json_t *tree = sam_tree_count(json_object(), "a", 1);
    tree = sam_tree_text(sam_tree_set(tree, "b", NULL), "c", "x");
    assert_null(tree);
    assert_null(sam_tree_csv(NULL, NULL));
}

TEST(csv)
{
    json_t *columns = json_loads("{\"name\": \"\", \"in\": {\"n\": 0}, \"x\": 0.0}", 0, NULL);
    json_t *rows =
        json_loads("[{\"name\": \"a \\\"b\\\"\", \"in\": {\"n\": 1}, \"x\": 0.5, \"y\": 1},"
                   " {\"x\": 2.0}]",
                   0, NULL);
    FREED char *text = sam_tree_csv(columns, rows);
    assert_string_equal(text, "name,n,x\n\"a \"\"b\"\"\",1,0.500000\n,,2.000000\n");
    json_decref(columns);
    json_decref(rows);
}

TEST(outside_text)
{
    json_t *tree = sam_tree_text(json_object(), "any", "line\nof \xff");
    tree = sam_tree_set(tree, "plain", sam_tree_plain("line\nof\x01 text"));
    tree = sam_tree_set(sam_tree_text(tree, "null", NULL), "empty", sam_tree_plain(NULL));
    assert_string_equal(json_string_value(json_object_get(tree, "any")), "line?of ?");
    assert_string_equal(json_string_value(json_object_get(tree, "plain")), "line of  text");
    assert_true(json_is_null(json_object_get(tree, "null")));
    assert_true(json_is_null(json_object_get(tree, "empty")));
    json_decref(tree);
}
