# SPDX-License-Identifier: Apache-2.0
"""test-targets.py FOLDER TEST...: the targets of a build folder that these tests run, for ninja. A test is
SUITE/NAME, or SUITE for all of one."""
import json
import os
import sys

folder = os.path.realpath(sys.argv[1])


def read(name):
    with open(os.path.join(folder, "meson-info", f"intro-{name}.json"), encoding="utf-8") as file:
        return json.load(file)


files = {target["id"]: target["filename"] for target in read("targets")}
chosen = set(sys.argv[2:])
needed = {path for test in read("tests") if chosen & {test["name"], test["name"].split("/")[0]}
          for target in test["depends"] for path in files[target]}
print(*sorted(os.path.relpath(path, folder) for path in needed), sep="\n")
