#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Grammars for editors, from what the command knows: `samite isa` and `samite tile ops`.

    tools/editor-grammars.py [--samite build/samite] [FOLDER]   writes FOLDER (editors)

tests/project/editors.sh holds that those of editors/ are current."""
import argparse
import json
import pathlib
import re
import subprocess

DIRECTIVES = """2byte 4byte 8byte address align ascii asciz balign bss byte comm data double dword else elseif
endif endm endr equ equiv error exitm file fill float global globl half hword if ifb ifdef ifeq ifge ifgt
ifle iflt ifnb ifndef ifne ifnotdef include int irp irpc lcomm loc long macro option p2align popsection
previous pushsection quad rept rodata section set short single size skip space string text type warning weak
word zero""".split()
ABI = "zero ra sp gp tp fp t[0-6] s[0-9] s1[01] a[0-7]".split()
NUMBERED = {"x": 63, "v": 255, "tl": 31, "m": 7}
PTO_WORDS = """make_tensor_view partition_view alloc_tile tassign subset tsubview set_validshape
record_event wait_event tsync barrier prefetch""".split()
ARITH = "constant addi subi muli divsi remsi cmpi select index_cast".split()
SCF = "for if yield".split()
KEYS = """ins outs shape strides offsets sizes addr valid valid_row valid_col pad loc dtype rows cols v_row
v_col blayout slayout fractal cmp round iter_args to step else""".split()
LAYOUTS = """vec mat left right acc row_major col_major none_box tload tstore vector matrix eq ne lt le gt ge
rint round floor ceil trunc""".split()
DTYPES = """f32 f16 bf16 i8 ui8 i16 ui16 i32 ui32 i64 ui64 f64 tf32 hf32 hif8 e5m2 e4m3 e3m2 e2m3 e8m0 e2m1 e1m2
i1 index""".split()


def ask(samite, *words):
    return json.loads(subprocess.run([samite, *words], check=True, capture_output=True).stdout)


def choice(words):
    """An expression for one of the words, longer ones first."""
    return "(?:" + "|".join(re.escape(w) for w in sorted(set(words), key=lambda w: (-len(w), w))) + ")"


def number_up_to(top):
    """An expression for 0..top without leading zeros."""
    text = str(top)
    if len(text) == 1:
        return f"[0-{text}]"
    parts = ["[0-9]"] + [f"[1-9]{'[0-9]' * n}" for n in range(1, len(text) - 1)]
    for i, digit in enumerate(text):
        low, high = (1 if i == 0 else 0), int(digit) - (i + 1 < len(text))
        if high >= low:
            span = str(low) if low == high else f"[{low}-{high}]"
            parts.append(text[:i] + span + "[0-9]" * (len(text) - i - 1))
    return "(?:" + "|".join(reversed(parts)) + ")"


def registers():
    return ABI + [name + number_up_to(top) for name, top in NUMBERED.items()]


def pattern(scope, match):
    return {"name": scope, "match": match}


def as_json(grammar):
    return json.dumps(grammar, indent=2) + "\n"


def asm_grammar(mnemonics, csrs):
    number = r"\b(?:0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|[0-9]+[fb])\b"
    return as_json({
        "name": "RISC-V assembly of Samite", "scopeName": "source.samite-asm",
        "patterns": [
            {"name": "comment.block", "begin": r"/\*", "end": r"\*/"},
            pattern("comment.line", "(?://|#).*$"),
            {"name": "string.quoted.double", "begin": "\"", "end": "\"|$",
             "patterns": [pattern("constant.character.escape", r"\\.")]},
            pattern("string.quoted.single", r"'(?:\\.|[^'])'?"),
            pattern("entity.name.function", r"^\s*[A-Za-z_.$][\w.$]*(?=\s*:)|^\s*[0-9]+(?=\s*:)"),
            pattern("keyword.control.directive", r"(?<![\w.$])\." + choice(DIRECTIVES) + r"(?![\w.$])"),
            pattern("keyword.mnemonic", r"(?<![\w.$%])" + choice(mnemonics) + r"(?![\w.$])"),
            pattern("variable.language.register", r"(?<![\w.$])(?:" + "|".join(registers()) + r")(?![\w.$])"),
            pattern("support.constant.csr", r"(?<![\w.$])" + choice(csrs) + r"(?![\w.$])"),
            pattern("support.function", r"%(?:pcrel_)?(?:hi|lo)\b"),
            pattern("variable.parameter", r"\\[A-Za-z_@]\w*"),
            pattern("constant.numeric", number),
        ]})


def pto_grammar(operations):
    return as_json({
        "name": "PTO tile program", "scopeName": "source.pto",
        "patterns": [
            pattern("comment.line", r"//.*$|(?:^|(?<=\s))#(?:\s.*)?$"),
            pattern("keyword.operation", r"(?<![\w.%@])(?:pto\.)?" + choice(operations) + r"(?![\w.])"),
            pattern("keyword.other", r"(?<![\w.%@])(?:pto\.)?" + choice(PTO_WORDS) + r"(?![\w.])"),
            pattern("keyword.operator", r"(?<![\w.])arith\." + choice(ARITH) + r"\b"),
            pattern("keyword.control", r"(?<![\w.])(?:scf\." + choice(SCF) + r"|func\.func|module|return|else)\b"),
            pattern("storage.type", r"!pto\.[a-z_]+|\b(?:[0-9?]+x)*" + choice(DTYPES) + r"\b"),
            pattern("variable.other", r"%[\w$.]+"),
            pattern("entity.name.function", r"@[\w$.]+"),
            pattern("variable.parameter", r"\b" + choice(KEYS) + r"\b(?=\s*(?:=|\())|\b(?:to|step|iter_args)\b"),
            pattern("support.constant", r"\b" + choice(LAYOUTS) + r"\b"),
            pattern("constant.numeric", r"-?\b(?:0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)\b"),
        ]})


def vim_keywords(group, words):
    """Lines of `syn keyword`."""
    lines, line = [], ""
    for word in sorted(set(words)):
        if len(line) + len(word) > 100:
            lines.append(line)
            line = ""
        line += " " + word
    return "".join(f"syn keyword {group}{line}\n" for line in lines + [line] if line)


def vim_links(name, groups):
    return "".join(f"hi def link {name}{group} {to}\n" for group, to in groups.items())


VIM_HEAD = """" SPDX-License-Identifier: Apache-2.0
" Made by tools/editor-grammars.py.
if exists("b:current_syntax")
  finish
endif
"""


def vim_asm(mnemonics, csrs):
    return (VIM_HEAD + "syn case match\nsyn iskeyword @,48-57,_,.,$\n"
            + vim_keywords("samiteMnemonic", mnemonics)
            + vim_keywords("samiteCsr", csrs)
            + vim_keywords("samiteDirective", ["." + d for d in DIRECTIVES])
            + "syn match samiteLabel /^\\s*[A-Za-z0-9_.$]\\+\\ze\\s*:/\n"
            + vim_keywords("samiteRegister", [n + str(i) for n, top in NUMBERED.items() for i in range(top + 1)]
                           + "zero ra sp gp tp fp".split() + [f"t{i}" for i in range(7)]
                           + [f"s{i}" for i in range(12)] + [f"a{i}" for i in range(8)])
            + "syn match samiteNumber /\\<\\%(0[xX]\\x\\+\\|0[bB][01]\\+\\|\\d\\+[fb]\\?\\|\\d\\+\\.\\d\\+\\)\\>/\n"
            + "syn match samiteFunction /%\\%(pcrel_\\)\\?\\%(hi\\|lo\\)\\>/\n"
            + "syn region samiteString start=/\"/ skip=/\\\\./ end=/\"/ oneline\n"
            + "syn match samiteComment /\\%(\\/\\/\\|#\\).*$/\n"
            + "syn region samiteComment start=/\\/\\*/ end=/\\*\\//\n"
            + vim_links("samite", {"Mnemonic": "Statement", "Csr": "Constant", "Directive": "PreProc",
                                   "Label": "Function", "Register": "Identifier", "Number": "Number",
                                   "Function": "Special", "String": "String", "Comment": "Comment"})
            + "let b:current_syntax = \"samiteasm\"\n")


def vim_pto(operations):
    dotted = [w for o in operations + PTO_WORDS for w in (o, "pto." + o)]
    return (VIM_HEAD + "syn case match\nsyn iskeyword @,48-57,_,.\n"
            + vim_keywords("ptoOperation", dotted)
            + vim_keywords("ptoControl", ["scf." + w for w in SCF] + ["arith." + w for w in ARITH]
                           + ["func.func", "module", "return"])
            + vim_keywords("ptoKey", [k for k in KEYS if k not in operations])
            + vim_keywords("ptoConstant", [k for k in LAYOUTS if k not in operations + KEYS])
            + "syn match ptoType /!pto\\.[a-z_]\\+\\|\\<\\%([0-9?]\\+x\\)*\\%(" + "\\|".join(DTYPES) + "\\)\\>/\n"
            + "syn match ptoName /%[A-Za-z0-9_$.]\\+/\nsyn match ptoFunction /@[A-Za-z0-9_$.]\\+/\n"
            + "syn match ptoNumber /\\<\\%(0[xX]\\x\\+\\|\\d\\+\\%(\\.\\d\\+\\)\\?\\)\\>/\n"
            + "syn match ptoComment /\\/\\/.*$/\nsyn match ptoComment /\\%(^\\|\\s\\)#\\%(\\s.*\\)\\?$/\n"
            + vim_links("pto", {"Operation": "Statement", "Control": "Keyword", "Key": "Label",
                                "Constant": "Constant", "Type": "Type", "Name": "Identifier",
                                "Function": "Function", "Number": "Number", "Comment": "Comment"})
            + "let b:current_syntax = \"pto\"\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samite", default="build/samite")
    parser.add_argument("folder", nargs="?", default="editors", type=pathlib.Path)
    given = parser.parse_args()
    tables = [ask(given.samite, "isa", "--json", "--isa", isa) for isa in ("ventus", "tensor")]
    mnemonics = sorted({row["mnemonic"] for table in tables for row in table["instructions"]})
    csrs = sorted({row["name"] for table in tables for row in table["csrs"]})
    operations = sorted(row["name"] for row in ask(given.samite, "tile", "ops", "--json"))
    files = {
        "vscode/syntaxes/samite-asm.tmLanguage.json": asm_grammar(mnemonics, csrs),
        "vscode/syntaxes/pto.tmLanguage.json": pto_grammar(operations),
        "vim/syntax/samiteasm.vim": vim_asm(mnemonics, csrs),
        "vim/syntax/pto.vim": vim_pto(operations),
    }
    for name, text in files.items():
        path = given.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
