# SPDX-License-Identifier: Apache-2.0
"""Test cases of a script: functions, run in a temporary folder and reported as TAP."""
import os
import subprocess
import tempfile

SAMITE = os.environ["SAMITE"]


def samite(*words, **options):
    return subprocess.run([SAMITE, *words], capture_output=True, text=True, **options)


def run(cases, files={}):
    """Run pairs of a name and a function, which fails by an assertion; `files` are written before."""
    print(f"1..{len(cases)}")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in files.items():
            with open(name, "w") as file:
                file.write(text)
        for number, (name, case) in enumerate(cases, 1):
            try:
                case()
                print(f"ok {number} - {name}")
            except AssertionError as error:
                print(f"not ok {number} - {name}\n# {str(error).strip()}")
        os.chdir("/")
