#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The library of OpenCL builtins as a C string, and a checksum of the compiler.

cc-library.py OUT.c SOURCE...: files of lib/ (.cl) in the order of their names, and the compiler's own."""
import hashlib
import os
import sys


def quoted(line):
    return '"' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"'


out, sources = sys.argv[1], sorted(sys.argv[2:], key=os.path.basename)
digest = hashlib.sha256()
lines = ["/* made by tools/cc-library.py */", "extern const char sam_cc_library[], sam_cc_build[];",
         "const char sam_cc_library[] ="]
for path in sources:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    digest.update(text.encode())
    if path.endswith(".cl"):
        lines.append("    " + quoted(f'#line 1 "<{os.path.basename(path)}>"'))
        lines += ["    " + quoted(line) for line in text.splitlines()]
lines.append('    "";')
lines.append(f'const char sam_cc_build[] = "{digest.hexdigest()}";')
with open(out, "w", encoding="utf-8") as file:
    file.write("\n".join(lines) + "\n")
