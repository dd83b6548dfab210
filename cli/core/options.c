/* SPDX-License-Identifier: Apache-2.0 */
/* The command-line parser, driven by the rows of a verb's options. */
#include <stdlib.h>

#include "cli.h"

/* ----------------------------------------------------------------------------- the rows */

bool cli_next_option(struct cli_cursor *c)
{
    const struct cli_option *rows = c->group ? c->group->options : c->verb->options;
    c->index += c->option != NULL;
    while (!rows || !rows[c->next_row].grammar) {
        const struct cli_group *group = c->verb->groups ? &c->verb->groups[c->next_group++] : NULL;
        if (!group || !group->options)
            return false;
        c->group = group;
        c->next_row = 0;
        rows = group->options;
    }
    c->option = &rows[c->next_row++];
    return true;
}

unsigned cli_option_forms(const struct cli_cursor *c)
{
    return c->option->forms ? c->option->forms : c->group ? c->group->forms : 0;
}

bool cli_value_is_optional(const struct cli_option *option)
{
    return option->argument && option->argument[0] == '[';
}

bool cli_repeats(const struct cli_option *option)
{
    return option->repeats || option->grammar == CLI_LIST || option->grammar == CLI_NUMBERS;
}

const char *cli_argument(const struct cli_option *option, char *text, size_t room)
{
    if (option->grammar == CLI_FLAG || (!option->argument && !option->choices))
        return NULL;
    if (option->argument) {
        const bool optional = cli_value_is_optional(option); /* "[FILE]" */
        const size_t size = strlen(option->argument) - 2 * optional;
        snprintf(text, room, "%.*s", (int)size, option->argument + optional);
        return text;
    }
    snprintf(text, room, "%s", option->choices);
    for (char *c = text; *c; c++)
        *c = *c == ' ' ? '|' : *c;
    return text;
}

bool cli_word(const char **at, char *word, size_t size)
{
    const char *begin = *at + strspn(*at, " \t");
    const size_t length = strcspn(begin, " \t");
    snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), begin);
    *at = begin + length + strspn(begin + length, " \t");
    return length != 0;
}

bool cli_item(const char **at, char *item, size_t size)
{
    const char *begin = *at ? *at : "";
    const size_t length = strcspn(begin, ",");
    const bool any = *at;
    snprintf(item, size, "%.*s", length < size ? (int)length : 0, begin);
    *at = begin[length] ? begin + length + 1 : NULL;
    return any;
}

int cli_choice(const char *choices, const char *word, size_t size)
{
    for (int i = 0; *choices; i++) {
        size_t length = strcspn(choices, " ");
        if (length == size && memcmp(choices, word, size) == 0)
            return i;
        choices += length + (choices[length] == ' ');
    }
    return -1;
}

const char *cli_choices_text(const char *choices, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (const char *before = ""; *choices && used < room;) {
        size_t length = strcspn(choices, " ");
        used += (size_t)snprintf(text + used, room - used, "%s%.*s", before, (int)length, choices);
        choices += length + (choices[length] == ' ');
        before = strchr(choices, ' ') ? ", " : " or ";
    }
    return text;
}

/* The next row of an option, by its name of `size` bytes or by its letter. */
static bool find(struct cli_cursor *c, const char *name, size_t size)
{
    while (cli_next_option(c)) {
        const struct cli_option *o = c->option;
        if (size ? strlen(o->name) == size && memcmp(o->name, name, size) == 0 : o->letter == *name)
            return true;
    }
    return false;
}

int cli_asked_form(const struct cli_args *args)
{
    const struct cli_verb *verb = args->verb;
    const char *option = verb->form_option;
    int form = -1;
    if (!verb->forms || !option)
        return -1;
    for (int i = 0; i < args->count; i++) {
        const char *word = args->words[i];
        const size_t size = strlen(option);
        if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, option, size) == 0) {
            if (word[2 + size] == '=')
                return cli_find_form(verb, word + 3 + size);
            if (!word[2 + size] && i + 1 < args->count)
                return cli_find_form(verb, args->words[i + 1]);
        }
        for (int k = 0; word[0] != '-' && verb->forms[k].name; k++)
            if (verb->forms[k].suffix && cli_ends_with(word, verb->forms[k].suffix))
                form = k;
    }
    return form;
}

/* The row of a name, or with size 0 of a letter. If several forms have an option of that name,
 * the row of the implied form. */
static bool find_name(const struct cli_args *args, struct cli_cursor *c, const char *name,
                      size_t size)
{
    struct cli_cursor first = {.verb = args->verb};
    if (!find(&first, name, size))
        return false;
    *c = first;
    const int asked = cli_asked_form(args),
              form = asked < 0 && args->verb->forms && args->verb->form_option ? 0 : asked;
    while (form >= 0 && !(cli_option_forms(c) >> form & 1)) {
        if (!find(c, name, size)) {
            *c = first;
            break;
        }
    }
    return true;
}

/* --------------------------------------------------------------------------- the values */

void *cli_own(struct cli_args *args, size_t count, size_t size)
{
    void **owned = realloc(args->owned, (args->owned_count + 1) * sizeof *owned);
    if (!owned)
        return NULL;
    args->owned = owned;
    owned[args->owned_count] = calloc(count ? count : 1, size);
    return owned[args->owned_count++];
}

char *cli_own_text(struct cli_args *args, const char *text)
{
    char *copy = cli_own(args, strlen(text) + 1, 1);
    return copy ? strcpy(copy, text) : NULL;
}

void *cli_own_list(struct cli_args *args, size_t size)
{
    return cli_own(args, (size_t)args->count, size);
}

void cli_args_free(struct cli_args *args)
{
    while (args->owned_count)
        free(args->owned[--args->owned_count]);
    free(args->owned);
}

static void store(void *place, size_t size, uint64_t value)
{
    const uint8_t byte = (uint8_t)value;
    const uint16_t half = (uint16_t)value;
    const uint32_t word = (uint32_t)value;
    const void *from = &value;
    if (size < 8)
        from = size == 1 ? (const void *)&byte : size == 2 ? (const void *)&half : &word;
    memcpy(place, from, size);
}

const char *cli_leading_number(const char *text, char end, uint64_t top, uint64_t *value)
{
    char part[32];
    const char *at = strchr(text, end);
    if (!at || at - text >= (ptrdiff_t)sizeof part)
        return NULL;
    snprintf(part, sizeof part, "%.*s", (int)(at - text), text);
    return sam_parse_u64(part, value) && *value <= top ? at + 1 : NULL;
}

bool cli_pair(const char *text, char between, uint64_t *first, uint64_t *second)
{
    const char *rest = cli_leading_number(text, between, UINT64_MAX, first);
    return rest && sam_parse_u64(rest, second);
}

static int bad_number(const struct cli_args *args, const struct cli_option *o, const char *text,
                      uint64_t top)
{
    char choices[128];
    if (o->choices)
        return cli_usage_error(args, "--%s %s: expected %s", o->name, text,
                               cli_choices_text(o->choices, choices, sizeof choices));
    if (top == UINT64_MAX && o->low == 0)
        return cli_usage_error(args, "--%s %s: expected a number", o->name, text);
    if (top == UINT64_MAX)
        return cli_usage_error(args, "--%s %s: expected a number from %llu", o->name, text,
                               (unsigned long long)o->low);
    return cli_usage_error(args, "--%s %s: expected a number from %llu to %llu", o->name, text,
                           (unsigned long long)o->low, (unsigned long long)top);
}

static int read_number(const struct cli_args *args, const struct cli_option *o, const char *text,
                       size_t size, void *place)
{
    const uint64_t fits = UINT64_MAX >> (64 - 8 * size);
    const uint64_t top = o->high && o->high < fits ? o->high : fits;
    uint64_t value;
    char decimal[24];
    if (!sam_parse_u64(text, &value) || value < o->low || value > top)
        return bad_number(args, o, text, top);
    snprintf(decimal, sizeof decimal, "%llu", (unsigned long long)value);
    if (o->choices && cli_choice(o->choices, decimal, strlen(decimal)) < 0)
        return bad_number(args, o, text, top);
    store(place, size, value);
    return CLI_OK;
}

static int read_choice(const struct cli_args *args, const struct cli_option *o, const char *text,
                       void *place)
{
    struct cli_near near = {.wanted = text};
    char choices[256], word[64];
    if (!text || !o->choices)
        return cli_usage_error(args, "--%s needs a value", o->name);
    int choice = cli_choice(o->choices, text, strlen(text));
    if (choice >= 0) {
        store(place, o->size, (uint64_t)choice);
        return CLI_OK;
    }
    for (const char *at = o->choices; cli_word(&at, word, sizeof word);)
        cli_near_offer(&near, word);
    return cli_usage_error(args, "--%s %s: expected %s%s", o->name, text,
                           cli_choices_text(o->choices, choices, sizeof choices),
                           cli_near_text(&near));
}

static int append(struct cli_args *args, const char *text, struct cli_list *list)
{
    const char **item = CLI_APPEND(args, list);
    if (!item)
        return cli_no_memory();
    *item = text;
    return CLI_OK;
}

static int append_number(struct cli_args *args, const struct cli_option *o, const char *text,
                         struct cli_numbers *list)
{
    uint64_t *item = CLI_APPEND(args, list);
    return item ? read_number(args, o, text, sizeof *item, item) : cli_no_memory();
}

static int put(struct cli_args *args, const struct cli_option *o, const char *text, void *place)
{
    const bool yes = true;
    switch (o->grammar) {
    case CLI_FLAG: memcpy(place, &yes, sizeof yes); return CLI_OK;
    case CLI_TEXT:
        if (cli_value_is_optional(o) && (!text || !*text))
            text = "-";
        memcpy(place, &text, sizeof text);
        return CLI_OK;
    case CLI_NUMBER: return read_number(args, o, text, o->size, place);
    case CLI_CHOICE: return read_choice(args, o, text, place);
    case CLI_LIST: return append(args, text, place);
    case CLI_NUMBERS: return append_number(args, o, text, place);
    case CLI_PARSE: return o->parse(args, o, text, place);
    case CLI_END: break;
    }
    return CLI_BAD_INPUT;
}

/* ---------------------------------------------------------------------------- the words */

static int unknown_option(const struct cli_args *args, const char *word)
{
    char name[64], dashed[80];
    struct cli_near near = {.wanted = name};
    struct cli_cursor c = {.verb = args->verb};
    if (word[1] != '-') /* no letter is special */
        return cli_usage_error(args, "unknown option '-%c'", word[1]);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    while (cli_next_option(&c))
        cli_near_offer(&near, c.option->name);
    cli_near_offer(&near, "help");
    if (near.name[0]) {
        snprintf(dashed, sizeof dashed, "--%.70s", near.name);
        snprintf(near.name, sizeof near.name, "%s", dashed);
    }
    return cli_usage_error(args, "unknown option '%s'%s", word, cli_near_text(&near));
}

static int no_value(const struct cli_args *args, const struct cli_option *o)
{
    char argument[128];
    return cli_usage_error(args, "--%s needs a value (%s)", o->name,
                           cli_argument(o, argument, sizeof argument));
}

const char *cli_form_names(const struct cli_verb *verb, unsigned forms, const char *between,
                           char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; forms >> i && verb->forms[i].name && used < room; i++)
        if (forms >> i & 1)
            used += (size_t)snprintf(text + used, room - used, "%s%s", used ? between : "",
                                     verb->forms[i].name);
    return text;
}

/* "a, b or c" */
static const char *forms_text(const struct cli_verb *verb, unsigned forms, char *text, size_t room)
{
    char words[256];
    return cli_choices_text(cli_form_names(verb, forms, " ", words, sizeof words), text, room);
}

/* An option that the form lacks: the forms that have it, in rows of any kind. */
static int refuse(const struct cli_args *args, const struct cli_option *o, int form)
{
    const struct cli_verb *verb = args->verb;
    struct cli_cursor c = {.verb = verb};
    char text[256], option[40] = "";
    unsigned forms = 0;
    while (find(&c, o->name, strlen(o->name)))
        forms |= cli_option_forms(&c);
    if (verb->form_option)
        snprintf(option, sizeof option, "--%s ", verb->form_option);
    return cli_usage_error(args, "--%s is for %s%s, not for %s", o->name, option,
                           forms_text(verb, forms, text, sizeof text), verb->forms[form].name);
}

/* Two different values of a row that holds one. */
static int check_once(const struct cli_args *args, const struct cli_cursor *c, const char *value)
{
    const struct cli_option *o = c->option;
    const char *first = args->values[c->index], *between = cli_value_is_optional(o) ? "=" : " ";
    if (!args->given[c->index] || cli_repeats(o) || (!first && !value) ||
        (first && value && strcmp(first, value) == 0))
        return CLI_OK;
    return cli_usage_error(args, "--%s%s%s and --%s%s%s: expected one of them", o->name,
                           first ? between : "", first ? first : "", o->name, value ? between : "",
                           value ? value : "");
}

/* The row takes the value after '=' or after the letter, or the next word. */
static int take(struct cli_args *args, const struct cli_cursor *c, const char *attached,
                void *request)
{
    const struct cli_option *o = c->option;
    char *place = (char *)request + (c->group ? c->group->at : 0) + o->at;
    const char *value = attached;
    const unsigned forms = cli_option_forms(c);
    const int form = cli_asked_form(args);
    if (forms && form >= 0 && !(forms >> form & 1))
        return refuse(args, o, form); /* before its value is parsed as that of another form */
    if (o->grammar == CLI_FLAG || (!o->argument && !o->choices)) {
        if (attached)
            return cli_usage_error(args, "--%s takes no value, found '%s'", o->name, attached);
    } else if (!attached && !cli_value_is_optional(o)) {
        if (args->at >= args->count)
            return no_value(args, o);
        value = args->words[args->at++];
    }
    if (o->grammar == CLI_TEXT && value && !*value && !cli_value_is_optional(o))
        return no_value(args, o); /* an empty shell variable */
    const int code = check_once(args, c, value);
    if (code != CLI_OK)
        return code;
    args->given[c->index] = true;
    args->values[c->index] = value;
    return put(args, o, value, place);
}

static int take_letters(struct cli_args *args, const char *word, void *request)
{
    for (const char *letter = word + 1; *letter; letter++) {
        struct cli_cursor c;
        if (!find_name(args, &c, letter, 0))
            return cli_usage_error(args, "unknown option '-%c'%s%s%s", *letter,
                                   word[2] ? " in '" : "", word[2] ? word : "", word[2] ? "'" : "");
        bool flag = c.option->grammar == CLI_FLAG;
        int code = take(args, &c, !flag && letter[1] ? letter + 1 : NULL, request);
        if (code != CLI_OK || !flag)
            return code;
    }
    return CLI_OK;
}

/* `name` points to the name in the word, after its dashes. */
static int take_name(struct cli_args *args, const char *word, const char *name, void *request)
{
    struct cli_cursor c;
    const size_t size = strcspn(name, "=");
    if (!size || !find_name(args, &c, name, size))
        return unknown_option(args, word);
    return take(args, &c, name[size] ? name + size + 1 : NULL, request);
}

/* Whether "-ex" is the name of an option that may have one dash. */
static bool is_dashed_name(const struct cli_args *args, const char *word)
{
    struct cli_cursor c = {.verb = args->verb};
    return find(&c, word + 1, strcspn(word + 1, "=")) && c.option->dash;
}

int cli_find_form(const struct cli_verb *verb, const char *name)
{
    for (int i = 0; verb->forms && verb->forms[i].name; i++)
        if (strcmp(verb->forms[i].name, name) == 0)
            return i;
    return -1;
}

static int take_form(struct cli_args *args, const char *word)
{
    const struct cli_verb *verb = args->verb;
    struct cli_near near = {.wanted = word};
    char names[256];
    args->form = cli_find_form(verb, word);
    if (args->form >= 0)
        return CLI_OK;
    for (const struct cli_form *f = verb->forms; f->name; f++)
        cli_near_offer(&near, f->name);
    return cli_usage_error(args, "unknown %s '%s': expected %s%s", verb->form_word, word,
                           forms_text(verb, ~0u, names, sizeof names), cli_near_text(&near));
}

static int take_operand(struct cli_args *args, const char *word, void *request)
{
    const struct cli_option *o = &args->verb->operand;
    char *place = (char *)request + o->at;
    if (args->verb->forms && !args->verb->form_option && args->form < 0)
        return take_form(args, word);
    if (!o->grammar)
        return cli_usage_error(args, "unexpected argument '%s'", word);
    if (o->high && args->operands >= o->high)
        return o->high == 1 ? cli_usage_error(args, "unexpected second %s '%s'", o->name, word)
                            : cli_usage_error(args, "more than %llu of %s",
                                              (unsigned long long)o->high, o->name);
    args->operands++;
    return put(args, o, word, place);
}

static size_t count_rows(const struct cli_verb *verb)
{
    struct cli_cursor c = {.verb = verb};
    size_t count = 0;
    while (cli_next_option(&c))
        count++;
    return count;
}

int cli_read(struct cli_args *args, void *request)
{
    int code = CLI_OK;
    args->form = -1;
    const size_t rows = count_rows(args->verb);
    args->given = cli_own(args, rows, sizeof *args->given);
    args->values = cli_own(args, rows, sizeof *args->values);
    if (!args->given || !args->values)
        return cli_no_memory();
    while (code == CLI_OK && args->at < args->count) {
        const char *word = args->words[args->at++];
        if (args->only_files || word[0] != '-' || word[1] == '\0')
            code = take_operand(args, word, request);
        else if (strcmp(word, "--") == 0)
            args->only_files = true;
        else if (word[1] == '-')
            code = take_name(args, word, word + 2, request);
        else if (is_dashed_name(args, word))
            code = take_name(args, word, word + 1, request);
        else
            code = take_letters(args, word, request);
    }
    if (code != CLI_OK)
        return code;
    if (args->verb->forms && !args->verb->form_option) {
        char names[256];
        if (args->form < 0)
            return cli_usage_error(args, "no %s: expected %s", args->verb->form_word,
                                   forms_text(args->verb, ~0u, names, sizeof names));
        code = cli_check_form(args, args->form);
    }
    if (code == CLI_OK && args->verb->operand.low > args->operands)
        code = cli_usage_error(args, "no %s", args->verb->operand.name);
    return code;
}

const char *cli_given_of(const struct cli_args *args, const char *options)
{
    char name[32];
    while (cli_word(&options, name, sizeof name)) {
        struct cli_cursor c = {.verb = args->verb};
        while (find(&c, name, strlen(name)))
            if (args->given[c.index])
                return c.option->name;
    }
    return NULL;
}

bool cli_given(const struct cli_args *args, const char *option)
{
    return cli_given_of(args, option);
}

bool cli_next_given(const struct cli_args *args, struct cli_cursor *cursor)
{
    cursor->verb = args->verb;
    while (cli_next_option(cursor))
        if (args->given[cursor->index])
            return true;
    return false;
}

int cli_check_form(struct cli_args *args, int form)
{
    const struct cli_verb *verb = args->verb;
    struct cli_cursor c = {.verb = verb};
    while (cli_next_option(&c)) {
        const unsigned forms = cli_option_forms(&c);
        const bool ours = !forms || (forms >> form & 1);
        if (args->given[c.index] && !ours)
            return refuse(args, c.option, form);
        if (c.option->needed && ours && !args->given[c.index])
            return cli_usage_error(args, "%s needs --%s", verb->forms[form].name, c.option->name);
    }
    return CLI_OK;
}

const char *cli_isa_name(size_t index)
{
    static const char *const names[] = {"ventus", "tensor", "rv32im_zicsr", "rv64im_zicsr", NULL};
    return names[index];
}

bool cli_ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), tail = strlen(end);
    return size >= tail && strcmp(text + size - tail, end) == 0;
}

bool cli_ends_with_any(const char *text, const char *suffixes)
{
    char suffix[32];
    while (cli_word(&suffixes, suffix, sizeof suffix))
        if (cli_ends_with(text, suffix))
            return true;
    return false;
}
