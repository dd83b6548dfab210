#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The public headers as ctypes sees them: python/samite/_abi.py.

    tools/python-abi.py            write the file
    tools/python-abi.py --check    show differences, and exit with 1 if there are any
    tools/python-abi.py --layout   a C program that prints what the compiler makes of the same types

Only what the package names (sam_... and SAM_... in python/samite/*.py) is written, and the types that
these need. The tests compile the C program and compare it with ctypes.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import textwrap

TOP = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = TOP / "python" / "samite"
OUTPUT = PACKAGE / "_abi.py"
SCALARS = {
    "_Bool": "c_bool", "char": "c_char", "int": "c_int", "unsigned": "c_uint", "unsigned int": "c_uint",
    "float": "c_float", "double": "c_double", "size_t": "c_size_t",
    **{f"{sign}int{bits}_t": f"c_{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


def preprocessed():
    """All public headers as one text without comments, directives and attributes."""
    command = [*os.environ.get("CC", "cc").split(), "-E", "-P", "-I", str(TOP / "include"), "-xc", "-"]
    source = "#include <samite/samite.h>\n"
    text = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", " ", text)
    return re.sub(r"\s+", " ", text)


def macros():
    """Object-like macros SAM_... that are numbers."""
    found = {}
    for path in sorted((TOP / "include" / "samite").glob("*.h")):
        for name, value in re.findall(r"^#define (SAM_\w+)[ \t]+([^\n]+)$", path.read_text(), re.M):
            value = re.sub(r"U?INT\d+_C\((\w+)\)", r"\1", value.split("/*")[0]).strip()
            if re.fullmatch(r"0x[0-9a-fA-F]+|\d+", value):
                found[name] = int(value, 0)
    return found


def body_after(text, at):
    """The text between the braces that open at `at`, and where it ends."""
    depth, start = 0, at + 1
    while True:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at], at + 1
        at += 1


def split(text, separator):
    """Parts of `text` between separators outside of all brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "({[") - (c in ")}]")
        if c == separator and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


class Headers:
    """Declarations by name; types that are asked for are remembered, in the order of their needs."""

    def __init__(self, words):
        self.words = words  # the names that the package uses
        self.text = preprocessed()
        self.values = macros()  # of all constants
        self.enums = {}
        for match in re.finditer(r"\benum (sam_\w+)? ?\{", self.text):
            body, _ = body_after(self.text, match.end() - 1)
            self.enums[match.group(1) or f"anonymous_{match.start()}"] = self.enumerators(body)
        self.bodies = {}
        for match in re.finditer(r"\bstruct (sam_\w+) \{", self.text):
            self.bodies[match.group(1)] = body_after(self.text, match.end() - 1)[0]
        self.functions = {}
        for match in re.finditer(r"(?:^|[;{}] |\" \{ )((?:const )?(?:struct |enum )?\w+ \**) ?(sam_\w+)\(", self.text):
            end = self.text.index(")", match.end() - 1)
            while self.text[match.end() - 1:end + 1].count("(") > self.text[match.end() - 1:end + 1].count(")"):
                end = self.text.index(")", end + 1)
            self.functions[match.group(2)] = (match.group(1), self.text[match.end():end])
        self.structs = {}  # name -> [(field, type)]

    def enumerators(self, body):
        rows, following = [], 0
        for part in split(body, ","):
            name, _, value = part.partition("=")
            if value:
                following = int(eval(value, {"__builtins__": {}}, self.values))  # an expression of constants
            self.values[name.strip()] = following
            rows.append((name.strip(), following))
            following += 1
        return rows

    def base(self, text, pointed):
        """The ctypes name of a type without declarator; None: void or an incomplete type."""
        text = re.sub(r"\b(const|volatile)\b", "", text).strip()
        if text.startswith("enum "):
            return "c_int"
        if text.startswith("struct "):
            name = text[7:].strip()
            if name not in self.bodies or (pointed and name not in self.words):
                return None  # what the package never looks into
            self.need(name)
            return name
        return SCALARS.get(re.sub(r"\s+", " ", text))

    def pointer(self, kind, stars):
        """The ctypes name of a type behind so many pointers."""
        base = self.base(kind, stars > 0)
        if stars == 0:
            return base
        if base == "c_char":
            # A text to read is bytes; what the caller frees, behind a char **, keeps its address.
            base = "c_char_p" if stars == 1 or "const" in kind else "c_void_p"
            stars -= 1
        elif base is None:
            base, stars = "c_void_p", stars - 1
        return "POINTER(" * stars + base + ")" * stars

    def declaration(self, text):
        """One field or parameter: [(name, type)]; several with commas."""
        text = text.strip()
        function = re.match(r"(.+?)\(\*(\w+)\)\((.*)\)$", text)
        if function:
            result = self.single(function.group(1) + " x")[1]
            parameters = [self.single(p)[1] for p in split(function.group(3), ",") if p != "void"]
            return [(function.group(2), f"CFUNCTYPE({', '.join([str(result), *parameters])})")]
        rows = re.match(r"(.+?)\(\*(\w+)\)((?:\[[^]]+\])+)$", text)
        if rows:
            name, inner = self.single(f"{rows.group(1)} {rows.group(2)}{rows.group(3)}")
            return [(name, f"POINTER({inner})")]
        first, *others = split(text, ",")
        head = re.match(r"((?:const |volatile |struct |enum )*\w+(?: const\b| volatile\b)*(?: int\b)?)", first).group(1)
        return [self.single(part if i == 0 else f"{head} {part}") for i, part in enumerate([first, *others])]

    def single(self, text):
        words = re.match(r"((?:(?:const|volatile|struct|enum)\s+)*\w+(?:\s+(?:const|volatile|int)\b)*)(.*)$",
                         text.strip())
        kind, rest = words.groups()
        stars, name, sizes = re.match(r"((?:\s|\*|const\b|volatile\b)*)(\w*)((?:\[[^]]*\])*)$",
                                      rest.strip()).groups()
        sizes = re.findall(r"\[([^]]*)\]", sizes)
        pointers = stars.count("*")
        if sizes and self.parameter:
            pointers, sizes = pointers + 1, sizes[1:]
        result = self.pointer(kind, pointers)
        if result is None and kind != "void":
            raise SystemExit(f"python-abi: unknown type in '{text}'")
        for size in reversed(sizes):
            result = f"{result} * {eval(size, {'__builtins__': {}}, self.values)}"
        return name, result

    parameter = False  # within a parameter list, where an array is a pointer

    def need(self, name):
        if name in self.structs:
            return
        self.structs[name] = None  # a struct that points to itself would be opaque here
        was, self.parameter = self.parameter, False
        fields = []
        for part in split(self.bodies[name], ";"):
            if re.match(r"(struct|enum) \w* ?\{", part):
                raise SystemExit(f"python-abi: struct {name} has a type within: name it outside")
            fields += self.declaration(part)
        self.parameter = was
        del self.structs[name]  # after what it needs
        self.structs[name] = fields

    def prototype(self, name):
        result, parameters = self.functions[name]
        self.parameter = True
        types = []
        for part in split(parameters, ","):
            if part != "void":
                types.append(self.declaration(part)[0][1])
        self.parameter = False
        return self.pointer(result.replace("*", "").strip(), result.count("*")), types


def used_words():
    words = set()
    for path in sorted(PACKAGE.glob("*.py")):
        if path != OUTPUT:
            words |= set(re.findall(r"\b(?:sam|SAM)_\w*[A-Za-z0-9]\b", path.read_text()))
    return words


def collect():
    words = used_words()
    headers = Headers(words)
    functions = {name: headers.prototype(name) for name in sorted(words & headers.functions.keys())}
    for name in sorted(words & headers.bodies.keys()):
        headers.need(name)
    enums = {}
    constants = {}
    for name, rows in headers.enums.items():
        if name in words:
            enums[name] = rows
        constants.update((n, v) for n, v in rows if n in words)
    constants.update((n, headers.values[n]) for n in words if n in headers.values)
    known = functions.keys() | headers.bodies.keys() | headers.enums.keys() | headers.values.keys()
    for word in sorted(words - known):
        raise SystemExit(f"python-abi: the package uses {word}: the headers have no such name")
    return headers, functions, enums, constants


def make():
    headers, functions, enums, constants = collect()
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        '"""Structs, constants and functions of libsamite, as far as the package uses them.',
        "",
        "Made from include/samite/*.h by tools/python-abi.py: do not edit.",
        '"""',
        "IMPORTS",
        "from enum import IntEnum",
        "",
    ]
    lines += [f"{name} = {value:#x}" if value > 4096 else f"{name} = {value}"
              for name, value in sorted(constants.items())]
    for name, rows in sorted(enums.items()):
        lines += ["", "", f"class {name}(IntEnum):"]
        lines += [f"    {n} = {v}" for n, v in rows]
    for name, fields in headers.structs.items():
        lines += ["", "", f"class {name}(Structure):", "    _fields_ = ["]
        lines += textwrap.wrap(", ".join(f'("{f}",\0{t})'.replace(", ", ",\0") for f, t in fields), 100,
                               initial_indent=" " * 8, subsequent_indent=" " * 8,
                               break_long_words=False, break_on_hyphens=False)
        lines += ["    ]"]
    lines += ["", "", "# name: (result, arguments)", "FUNCTIONS = {"]
    for name, (result, types) in functions.items():
        text = f'"{name}": ({result}, ({", ".join(types)}{"," if len(types) == 1 else ""})),'
        lines += textwrap.wrap(text, 100, initial_indent=" " * 4, subsequent_indent=" " * 8,
                               break_long_words=False, break_on_hyphens=False)
    lines += ["}", ""]
    text = "\n".join(lines).replace("\0", " ")
    imported = sorted(set(re.findall(r"\b(CFUNCTYPE|POINTER|Structure|c_\w+)\b", text)))
    imports = textwrap.fill(f"from ctypes import ({', '.join(imported)})", 100, subsequent_indent=" " * 20)
    text = text.replace("IMPORTS", imports)
    return text if enums else text.replace("from enum import IntEnum\n", "")


def layout():
    headers, _, enums, constants = collect()
    out = ["#include <samite/samite.h>", "#include <stddef.h>", "#include <stdio.h>", "", "int main(void)", "{"]
    for name, fields in headers.structs.items():
        out.append(f'    printf("struct {name} %zu\\n", sizeof(struct {name}));')
        for field, _ in fields:
            out.append(f'    printf("field {name} {field} %zu %zu\\n", offsetof(struct {name}, {field}), '
                       f"sizeof(((struct {name} *)0)->{field}));")
    for name in sorted({n for rows in enums.values() for n, _ in rows} | constants.keys()):
        out.append(f'    printf("constant {name} %lld\\n", (long long){name});')
    return "\n".join([*out, "    return 0;", "}", ""])


def main(words):
    if words == ["--layout"]:
        print(layout(), end="")
        return 0
    if words not in ([], ["--check"]):
        print("usage: tools/python-abi.py [--check|--layout]", file=sys.stderr)
        return 2
    new = make()
    old = OUTPUT.read_text() if OUTPUT.exists() else ""
    if words == ["--check"]:
        name = str(OUTPUT.relative_to(TOP))
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), name,
                                                   "tools/python-abi.py"))
        return int(old != new)
    if old != new:
        OUTPUT.write_text(new)
        print(OUTPUT.relative_to(TOP))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
