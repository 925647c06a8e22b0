#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Line coverage of the module: gcov.py [--core PERCENT] [--module PERCENT] [--missed] FOLDER...

Reads every .gcda file below FOLDER, which has its .gcno file beside it, as debugfs' gcov/ has,
with gcov(1). A line counts once, whichever objects hold it, and is covered if any of them ran it.
Prints each source file, core/ and the whole module; --missed names the lines too. Exit status 1
if a share is below what is asked for."""

import argparse
import collections
import json
import os
import re
import subprocess
import sys

# Sources of the module: they are compiled in build/KERNEL/sch_lossless
SOURCE = re.compile(r"/build/[^/]+/sch_lossless/((?!tests/)\S+\.[ch])$")


def gcda_files(folders):
    for folder in folders:
        for path, _, names in os.walk(folder):
            yield from (os.path.join(path, name) for name in names if name.endswith(".gcda"))


def add(counts, gcda):
    """counts[file][line] of one object"""
    done = subprocess.run(["gcov", "--json-format", "--stdout", gcda], stdout=subprocess.PIPE,
                          check=True)
    for file in json.loads(done.stdout)["files"]:
        found = SOURCE.search(os.path.normpath(file["file"]))
        for line in file["lines"] if found else []:
            counts[found[1]][line["line_number"]] += line["count"]


def row(name, lines):
    """One line of the table; returns the percentage"""
    covered, total = sum(count > 0 for count in lines), len(lines)
    percent = 100 * covered / total if total else 0
    print(f"{name:<20} {percent:6.1f} % {covered:5d} of {total:5d} lines")
    return percent


def ranges(numbers):
    """[1, 2, 3, 7] -> 1-3 7"""
    text = []
    for number in sorted(numbers):
        if text and text[-1][1] == number - 1:
            text[-1][1] = number
        else:
            text.append([number, number])
    return " ".join(f"{a}-{b}" if a != b else f"{a}" for a, b in text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--core", type=float, default=0)
    parser.add_argument("--module", type=float, default=0)
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("folders", nargs="+")
    arguments = parser.parse_args()
    counts = collections.defaultdict(collections.Counter)
    for gcda in gcda_files(arguments.folders):
        add(counts, gcda)
    for file, lines in sorted(counts.items()):
        row(file, lines.values())
        missed = [number for number, count in lines.items() if not count]
        if arguments.missed and missed:
            print("    not reached:", ranges(missed))
    core = row("core/", [n for file, lines in counts.items() if file.startswith("core/")
                         for n in lines.values()])
    module = row("the whole module", [n for lines in counts.values() for n in lines.values()])
    sys.exit(core < arguments.core or module < arguments.module)


main()
