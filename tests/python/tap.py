# SPDX-License-Identifier: Apache-2.0
"""pytest -p tap: the results as TAP (Test Anything Protocol), so that each case counts."""
import sys

_cases = 0


def _name(nodeid):
    file, _, case = nodeid.partition("::")
    return f"{file.rpartition('/')[2]}::{case}".replace("#", " ")


def _line(good, name, more=""):
    global _cases
    _cases += 1
    sys.stdout.write(f"{'' if good else 'not '}ok {_cases} - {name}{more}\n")
    sys.stdout.flush()


def pytest_runtest_logreport(report):
    name = _name(report.nodeid)
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        _line(True, name, f" # SKIP {reason}")
    elif report.failed or report.when == "call":
        _line(report.passed, name)
        if report.failed:
            sys.stdout.write("".join(f"# {text}\n" for text in report.longreprtext.splitlines()))


def pytest_collectreport(report):
    if report.failed:
        _line(False, _name(report.nodeid))
        sys.stdout.write("".join(f"# {text}\n" for text in report.longreprtext.splitlines()))


def pytest_sessionfinish():
    sys.stdout.write(f"1..{_cases}\n")
