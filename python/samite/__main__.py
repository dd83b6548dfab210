# SPDX-License-Identifier: Apache-2.0
"""`python -m samite`: the command."""
from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Optional


def command() -> Optional[str]:
    """The path of the command: the one inside the package, as wheels have it, or the one in PATH."""
    bundled = Path(__file__).resolve().parent / "bin" / "samite"
    return str(bundled) if bundled.exists() else shutil.which("samite")


def main() -> int:
    path = command()
    if path is None:
        print("samite: the command is neither in the package nor in PATH: install the wheel (./dev wheel) or Samite",
              file=sys.stderr)
        return 127
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
