#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutation testing: change one operator of the source at a time and count the tests that notice.

mutate.py [--count N] [--of FOLDER...] [--list] [--quick] BUILD, run at the top. BUILD is a folder for a copy of HEAD
and its build, made if needed. The set is fixed by the text of the lines: a line that a change leaves alone, or moves,
stays in it or out of it. A mutant of src/X is compiled and run against the tests of X and of the folders in NEXT. The
last line is `N mutants, N noticed, N test cases failed`; survivors are printed, with the change.
"""
import argparse
import hashlib
import re
import signal
import subprocess
import sys
from pathlib import Path

SWAPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
         (" && ", " || "), (" || ", " && "), (" + ", " - "), (" += ", " -= "), (" << ", " >> "), (" & ", " | "),
         ("return true;", "return false;"), ("return false;", "return true;"), ("++;", "--;")]
# Suites that test a folder better than, or beside, its own.
NEXT = {"base": ["base", "format"], "trace": ["trace", "simt"], "clock": ["system"], "codec": ["codec", "system"],
        "energy": ["cli"], "memtime": ["memtime", "gputime"], "machine": ["machine", "simt", "hart"]}
SECONDS = 300  # a mutant that runs longer is noticed


def mutations(folders):
    """(key, file, line number, old text, new text), ordered by the hash of what they change."""
    found = []
    files = subprocess.run(["git", "ls-files", "src/*.c"], check=True, capture_output=True, text=True).stdout.split()
    for file in files:
        if folders and file.split("/")[1] not in folders:
            continue
        seen = {}
        for number, text in enumerate(Path(file).read_text().splitlines()):
            if re.match(r"\s*(#|/?\*|//)", text) or "assert" in text or '"' in text:
                continue
            code = text.split("/*")[0]
            for old, new in SWAPS:
                if code.count(old) != 1:
                    continue
                name = (Path(file).parent.name, text.strip(), old)
                seen[name] = seen.get(name, 0) + 1
                key = hashlib.sha256(repr((name, seen[name])).encode()).hexdigest()
                found.append((key, file, number, text, code.replace(old, new) + text[len(code):]))
    return sorted(found)


def run(command, cwd, **keywords):
    return subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **keywords)


def prepare(tree):
    if not (tree / "build").is_dir():
        tree.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(["git", "archive", "HEAD"], check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["tar", "xf", "-", "-C", str(tree)], input=archive, check=True)
        if run(["meson", "setup", "build", "-Dtests=enabled", "-Djit=disabled"], tree).returncode:
            sys.exit("mutate.py: the copy cannot be configured")


def build(tree, suites):
    targets = run(["python3", "tools/test-targets.py", "build", *suites], tree).stdout.split()
    return run(["ninja", "-C", "build", *targets], tree).returncode == 0


def failed_cases(tree, suites, quick):
    """Test cases that fail, of all programs or the first such; None: the mutant does not compile."""
    if not build(tree, suites):
        return None
    words = [word for suite in suites for word in ("--suite", suite)] + ["--maxfail", "1"] * quick
    try:
        said = run(["meson", "test", "-C", "build", "--no-rebuild", *words], tree, timeout=SECONDS).stdout
    except subprocess.TimeoutExpired:
        return 1
    log = tree / "build" / "meson-logs" / "testlog.json"
    counts = run(["awk", "-f", "tools/count-tests.awk", str(log.resolve())], tree).stdout.split()
    return int(counts[1]) if len(counts) > 1 else int("FAIL" in said)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--of", action="append", default=[], metavar="FOLDER", help="of src/, repeatable")
    parser.add_argument("--list", action="store_true", help="print the set, run nothing")
    parser.add_argument("--quick", action="store_true", help="end a mutant's tests at the first program that fails")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the changed line is restored
    chosen = mutations(options.of)[:options.count]
    if options.list:
        for _, file, number, _, new in chosen:
            print(f"{file}:{number + 1}: {new.strip()}")
        return
    prepare(options.build)
    ran = noticed = failures = 0
    for _, file, number, old, new in chosen:
        path = options.build / file
        lines = path.read_text().splitlines(keepends=True)
        if lines[number].rstrip("\n") != old:
            sys.exit(f"mutate.py: {path} is not that of HEAD: remove {options.build}")
        folder = file.split("/")[1]
        try:
            path.write_text("".join(lines[:number] + [new + "\n"] + lines[number + 1:]))
            failed = failed_cases(options.build, NEXT.get(folder, [folder]), options.quick)
        finally:
            path.write_text("".join(lines))
        if failed is None:
            continue
        ran += 1
        noticed += failed > 0
        failures += failed
        if not failed:
            print(f"{file}:{number + 1}: survived: {new.strip()}", flush=True)
    print(f"{ran} mutants, {noticed} noticed, {failures} test cases failed")


if __name__ == "__main__":
    main()
