#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev wheel`: the Python package as a wheel with the library and the command.

    tools/wheel.py BUILD FOLDER

BUILD is a release build. setuptools makes a pure wheel of python/; this script adds the library, the command, and
the libraries that both need beyond glibc, with their licences, and packs the wheel again for this platform. Every
added file finds the others relative to itself ($ORIGIN). Bundled libraries have a part of their hash in their name:
a process can hold them and the system's libraries of the same name.
"""
import glob
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
# Present on every system with glibc (PEP 600). Everything else is bundled.
SYSTEM = re.compile(r"(ld-linux-[\w-]+|libc|libm|libdl|libpthread|librt)\.so\.\d+")
LAUNCHER = """#!python
# SPDX-License-Identifier: Apache-2.0
# Runs the command inside the package samite, without importing that.
import importlib.util
import os
import sys

found = importlib.util.find_spec("samite")
if found is None:
    sys.exit("samite: the package samite is not installed for " + sys.executable)
path = os.path.join(os.path.dirname(found.origin), "bin", "samite")
os.execv(path, [path, *sys.argv[1:]])
"""


def die(message):
    sys.exit(f"wheel: {message}")


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        die(f"{' '.join(map(str, words))}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def needed(path):
    """Names of the libraries that a file asks for, without those of glibc."""
    return [name for name in run("patchelf", "--print-needed", path).split() if not SYSTEM.fullmatch(name)]


def bundle(files):
    """The libraries that `files` need, directly or not: name -> path on this machine."""
    found = {}
    for file in files:
        for name, path in re.findall(r"^\s*(\S+) => (/\S+) \(", run("ldd", file), re.M):
            if not SYSTEM.fullmatch(name):
                found[name] = pathlib.Path(os.path.realpath(path))
    return found


def package_of(path):
    """The Debian package that a library belongs to. dpkg may know it by its path before /usr was merged."""
    for name in (str(path), str(path).removeprefix("/usr"), f"/usr{path}"):
        done = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    return die(f"{path}: no Debian package has it, so its licence is unknown")


def copy_stripped(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755)
    run("strip", "--strip-unneeded", target)


def add_files(build, tree):
    """Library, command, bundled libraries and licences, in the tree of the unpacked wheel."""
    libraries = sorted(path for path in build.glob("libsamite.so.*")
                       if re.fullmatch(r"libsamite\.so\.[\d.]+", path.name) and not path.is_symlink())
    if len(libraries) != 1:
        die(f"{build}: {len(libraries)} libraries libsamite.so.*: expected one (./dev clean)")
    library, command = tree / "samite" / "libsamite.so.0", tree / "samite" / "bin" / "samite"
    copy_stripped(libraries[0], library)
    copy_stripped(build / "samite", command)
    rpaths = {library: "$ORIGIN/../samite.libs", command: "$ORIGIN/../../samite.libs"}
    found = bundle([libraries[0], build / "samite"])
    names = {}
    licences = next(tree.glob("*.dist-info")) / "licenses"
    licences.mkdir(exist_ok=True)
    for name, path in sorted(found.items()):
        stem, dot, rest = name.partition(".so")
        names[name] = f"{stem}-{hashlib.sha256(path.read_bytes()).hexdigest()[:8]}{dot}{rest}"
        target = tree / "samite.libs" / names[name]
        copy_stripped(path, target)
        rpaths[target] = "$ORIGIN"
        package = package_of(path)
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", licences / f"{package}.txt")
    for file, rpath in rpaths.items():  # patchelf does one kind of change per call
        for name in needed(file):
            run("patchelf", "--replace-needed", name, names[name], file)
        if file.parent.name == "samite.libs":
            run("patchelf", "--set-soname", file.name, file)
        run("patchelf", "--set-rpath", rpath, file)
    launcher = next(tree.glob("*.dist-info")).with_suffix(".data") / "scripts" / "samite"
    launcher.parent.mkdir(parents=True)
    launcher.write_text(LAUNCHER)
    launcher.chmod(0o755)
    return rpaths, found


def check(files, glibc):
    """Nothing is asked for that is neither bundled nor glibc's, in a version that the tag promises."""
    there = {file.name for file in files}
    for file in files:
        for name in needed(file):
            if name not in there:
                die(f"{file.name} needs {name}, which is not in the wheel")
        for minor in re.findall(r"\bGLIBC_2\.(\d+)", run("readelf", "--version-info", "--wide", file)):
            if int(minor) > glibc:
                die(f"{file.name} needs glibc 2.{minor}: the tag says 2.{glibc}")


def main():
    if len(sys.argv) != 3:
        die("usage: tools/wheel.py BUILD FOLDER")
    build, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if re.match(r"(\.\./)?(src|cli)/", entry["file"]) and re.search(r"-m(arch|cpu|tune)=native", entry["command"]):
            die(f"{entry['file']} is compiled for this processor alone (=native): a wheel runs on others")
    version = os.confstr("CS_GNU_LIBC_VERSION") or ""
    glibc = re.fullmatch(r"glibc 2\.(\d+)", version)
    if not glibc:
        die(f"this system has '{version}': expected glibc 2")
    tag = f"manylinux_2_{glibc[1]}_{os.uname().machine}"
    os.environ.setdefault("SOURCE_DATE_EPOCH", run("git", "-C", TOP, "log", "-1", "--format=%ct").strip()
                          if (TOP / ".git").exists() else "1767225600")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        work = pathlib.Path(name)
        shutil.copytree(TOP / "python", work / "python",
                        ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        shutil.copyfile(TOP / "LICENSE", work / "python" / "LICENSE")
        run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index",
            "--disable-pip-version-check", "-w", work, work / "python")
        run(sys.executable, "-m", "wheel", "unpack", "-d", work, next(work.glob("*.whl")))
        tree = pathlib.Path(glob.glob(f"{work}/samite-*[0-9]")[0])
        files, _ = add_files(build, tree)
        check(files, int(glibc[1]))
        described = next(tree.glob("*.dist-info")) / "WHEEL"
        text = described.read_text().replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
        described.write_text(re.sub(r"^Tag: .*$", f"Tag: py3-none-{tag}", text, flags=re.M))
        for old in folder.glob("samite-*.whl"):
            old.unlink()
        run(sys.executable, "-m", "wheel", "pack", "-d", folder, tree)
    wheel = next(folder.glob("samite-*.whl"))
    print(f"== {wheel.relative_to(pathlib.Path.cwd()) if wheel.is_relative_to(pathlib.Path.cwd()) else wheel}, "
          f"{wheel.stat().st_size} bytes, {len(files) - 2} bundled libraries")


main()
