#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The language of buffer-trace (DESIGN section 12): exact lines out, and what is refused.

Usage: test_trace.py PROGRAM
"""

import subprocess
import sys

START = ["N size=120000 cell=1 hpool=1000",
         "P port=1 prio=3 g=3000 h=20000 alpha=0 xonoff=1000",
         "Q port=2 prio=0 g=1000 limit=500"]

ANSWERS = [
    ("E in=1 out=2 prio=3 len=1500",
     "1 admit g=1500 s=0 h=0 S=0 T=95000 state=xon pfc=-"),
    ("E in=1 out=2 prio=3 len=49000",
     "2 admit g=3000 s=47500 h=0 S=47500 T=47500 state=xoff pfc=pause"),
    ("E len=1000 prio=3 out=2 in=1",
     "3 admit g=3000 s=47500 h=1000 S=47500 T=47500 state=xoff pfc=-"),
    ("E in=1 out=2 prio=3 len=20001",
     "4 drop g=3000 s=47500 h=1000 S=47500 T=47500 state=xoff pfc=-"),
    ("R port=1 prio=3",
     "5 judge g=3000 s=47500 h=1000 S=47500 T=47500 state=xoff pfc=-"),
    ("D in=1 out=2 prio=3 len=1500",
     "6 leave g=3000 s=47000 h=0 S=47000 T=48000 state=xon pfc=resume"),
    ("E in=0 out=2 prio=0 len=1100",
     "7 admit g=1000 s=100 h=0 S=47100 T=500 state=xon pfc=-"),
    ("E in=7 out=2 prio=0 len=401",
     "8 drop g=1000 s=100 h=0 S=47100 T=500 state=xon pfc=-"),
    ("D in=0 out=2 prio=0 len=1100",
     "9 leave g=0 s=0 h=0 S=47000 T=500 state=xon pfc=-"),
    ("R port=1 prio=3",
     "10 judge g=3000 s=47000 h=0 S=47000 T=48000 state=xon pfc=-"),
]

# A P line prints nothing: the next event shows what no longer fits, in headroom.
CHANGED = START + [
    "E in=1 out=2 prio=3 len=10000",
    "P port=1 prio=3 g=3000 h=20000 xoff=4000 xon=3500",
    "R port=1 prio=3",
    "D in=1 out=2 prio=3 len=10000",
]
CHANGED_ANSWERS = [
    "1 admit g=3000 s=7000 h=0 S=7000 T=88000 state=xon pfc=-",
    "2 judge g=3000 s=1000 h=6000 S=1000 T=1000 state=xoff pfc=-",
    "3 leave g=0 s=0 h=0 S=0 T=1000 state=xon pfc=resume",
]

# A frame goes back to where it was charged, though its priority is lossless by now.
BECAME_LOSSLESS = [
    "N size=16384 cell=0 hpool=0",
    "Q port=2 prio=3 g=0 alpha=7",
    "E in=1 out=2 prio=3 len=1000",
    "P port=1 prio=3 g=5000 h=0 alpha=0 xonoff=0",
    "E in=1 out=2 prio=3 len=1000",
    "D in=1 out=2 prio=3 len=1000",
    "D in=1 out=2 prio=3 len=1000",
]
BECAME_LOSSLESS_ANSWERS = [
    "1 admit g=0 s=1000 h=0 S=1000 T=1969152 state=xon pfc=-",
    "2 admit g=1000 s=0 h=0 S=1000 T=10384 state=xon pfc=-",
    "3 leave g=0 s=0 h=0 S=0 T=1457152 state=xon pfc=-",
    "4 leave g=0 s=0 h=0 S=0 T=11384 state=xon pfc=-",
]

# (what it is, lines before it, the line, words of the message)
REFUSED = [
    ("empty line", START, "", "neither"),
    ("unknown kind", START, "X port=1", "neither"),
    ("two kinds in one word", START, "NP port=1", "neither"),
    ("small kind", START, "e in=1 out=2 prio=3 len=1", "neither"),
    ("comment", START, "# text", "neither"),
    ("event before N", [], "E in=1 out=2 prio=3 len=1", "N line comes first"),
    ("refresh before N", [], "R port=1 prio=3", "N line comes first"),
    ("PG before N", [], START[1], "N line comes first"),
    ("queue before N", [], START[2], "N line comes first"),
    ("second N", START, START[0], "second N"),
    ("size too small", [], "N size=16383 cell=1 hpool=0", "16384"),
    ("size too large", [], "N size=4294967297 cell=1 hpool=0", "4294967296"),
    ("pool above size", [], "N size=16384 cell=1 hpool=16385", "16385 16384"),
    ("P below 0", START, "P port=2 prio=3 g=90000 h=5001 alpha=0 xonoff=0", "120001 120000"),
    ("P below 0 by a change", START, "P port=1 prio=3 g=1 h=118000 alpha=0 xonoff=0",
     "120001 120000"),
    ("P below 0 by a queue", START, "Q port=3 prio=0 g=95001 limit=0", "120001 120000"),
    ("P below 0 by far", START,
     "P port=2 prio=3 g=4611686018427387904 h=4611686018427387904 alpha=0 xonoff=0",
     "9223372036854800808 120000"),
    ("xoff below g", START, "P port=1 prio=3 g=2 h=0 xoff=1 xon=1", "xoff g"),
    ("xon above xoff", START, "P port=1 prio=3 g=2 h=0 xoff=3 xon=4", "xon xoff"),
    ("alpha too small", START, "P port=1 prio=3 g=2 h=0 alpha=-11 xonoff=0", "-10 7"),
    ("alpha too large", START, "Q port=1 prio=3 g=2 alpha=8", "-10 7"),
    ("prio too large", START, "E in=1 out=2 prio=8 len=1", "prio"),
    ("both thresholds", START, "P port=1 prio=3 g=2 h=0 alpha=0 xonoff=0 xoff=5 xon=5", "two"),
    ("half of each", START, "P port=1 prio=3 g=2 h=0 alpha=0 xon=5", "two"),
    ("both of a queue", START, "Q port=1 prio=3 g=2 alpha=0 limit=5", "two"),
    ("xon missing", START, "P port=1 prio=3 g=2 h=0 xoff=5", "xon missing"),
    ("xonoff missing", START, "P port=1 prio=3 g=2 h=0 alpha=5", "xonoff missing"),
    ("h missing", START, "P port=1 prio=3 g=2 alpha=5 xonoff=0", "h missing"),
    ("limit or alpha missing", START, "Q port=1 prio=3 g=2", "missing"),
    ("len missing", START, "E in=1 out=2 prio=3", "len missing"),
    ("nothing at all", START, "E", "missing"),
    ("unknown key", START, "E in=1 out=2 prio=3 len=1 color=2", "color"),
    ("key of another kind", START, "E in=1 out=2 prio=3 len=1 port=2", "port"),
    ("key twice", START, "E in=1 out=2 prio=3 len=1 len=1", "len twice"),
    ("prefix of a key", START, "E in=1 out=2 pri=3 len=1", "pri"),
    ("word without value", START, "E in=1 out=2 prio=3 len", "len"),
    ("empty value", START, "E in=1 out=2 prio=3 len=", "len"),
    ("plus sign", START, "E in=1 out=2 prio=3 len=+1", "len"),
    ("minus sign", START, "E in=1 out=2 prio=3 len=-1", "len"),
    ("minus zero", START, "E in=-0 out=2 prio=3 len=1", "in"),
    ("two signs", START, "Q port=1 prio=3 g=2 alpha=--1", "alpha"),
    ("sign alone", START, "Q port=1 prio=3 g=2 alpha=-", "alpha"),
    ("hexadecimal", START, "E in=1 out=2 prio=3 len=0x10", "len"),
    ("unit", START, "E in=1 out=2 prio=3 len=1k", "len"),
    ("fraction", START, "E in=1 out=2 prio=3 len=1.5", "len"),
    ("space before value", START, "E in=1 out=2 prio=3 len= 1", "len"),
    ("carriage return", START, "E in=1 out=2 prio=3 len=1\r", "len"),
    ("zero byte", START, "E in=1 out=2 prio=3 len=1\0", "zero byte"),
    ("above 32 bits", START, "E in=1 out=2 prio=3 len=4294967296", "len"),
    ("above 64 bits", START, "E in=1 out=2 prio=3 len=18446744073709551617", "len"),
    ("above everything", START, "P port=1 prio=3 g=1" + "0" * 400 + " h=0 alpha=0 xonoff=0", "g"),
    ("frame of no bytes", START, "E in=1 out=2 prio=3 len=0", "len"),
    ("PG of the host", START, "P port=0 prio=3 g=0 h=0 alpha=0 xonoff=0", "port"),
    ("lossy without a queue", START, "E in=0 out=2 prio=3 len=1", "Q line"),
    ("undeclared PG without a queue", START, "E in=2 out=1 prio=3 len=1", "Q line"),
    ("leaves, never came", START, "D in=1 out=2 prio=3 len=1", "no such frame"),
    ("leaves longer than it came", START + ["E in=1 out=2 prio=3 len=10"],
     "D in=1 out=2 prio=3 len=11", "no such frame"),
    ("leaves, was dropped", START + ["E in=0 out=2 prio=0 len=5000"],
     "D in=0 out=2 prio=0 len=5000", "no such frame"),
    ("leaves twice", START + ["E in=1 out=2 prio=3 len=10", "D in=1 out=2 prio=3 len=10"],
     "D in=1 out=2 prio=3 len=10", "no such frame"),
    ("leaves by another port", START + ["E in=1 out=2 prio=3 len=10"],
     "D in=1 out=3 prio=3 len=10", "no such frame"),
    ("refresh of no PG", START, "R port=2 prio=3", "P line"),
    ("refresh of a queue", START, "R port=2 prio=0", "P line"),
]

ACCEPTED = [
    ("no lines", []),
    ("largest buffer", ["N size=4294967296 cell=4294967295 hpool=4294967296"]),
    ("P of 0", ["N size=16384 cell=0 hpool=16384", "P port=1 prio=0 g=0 h=0 xoff=0 xon=0"]),
    ("ends of alpha", ["N size=16384 cell=0 hpool=0", "Q port=1 prio=0 g=0 alpha=-10",
                       "Q port=1 prio=7 g=0 alpha=7"]),
    ("leading zeros", ["N size=0016384 cell=0 hpool=0"]),
    ("more than one space", ["N  size=16384\tcell=0   hpool=0 "]),
    ("largest frame", ["N size=16384 cell=64 hpool=0", "Q port=4294967295 prio=0 g=0 alpha=7",
                       "E in=4294967295 out=4294967295 prio=0 len=4294967295"]),
]


def run(program, text):
    return subprocess.run([program], input=text, text=True, capture_output=True, check=False)


def text_of(lines):
    return "".join(line + "\n" for line in lines)


def test_answers(program):
    questions = [question for question, _ in ANSWERS]
    for lines, answers in ((START + questions, [answer for _, answer in ANSWERS]),
                           (CHANGED, CHANGED_ANSWERS),
                           (BECAME_LOSSLESS, BECAME_LOSSLESS_ANSWERS)):
        done = run(program, text_of(lines))
        if done.stdout != text_of(answers) or done.stderr or done.returncode:
            yield "%r is not %r %s" % (done.stdout, text_of(answers), done.stderr)


def test_refused(program):
    for what, before, line, words in REFUSED:
        done = run(program, text_of(before + [line]) + START[1] + "\n")
        named = "line %d: " % (len(before) + 1)
        text = line.split("\0")[0].rstrip("\r")   # Python reads it back as a newline
        if done.returncode != 2:
            yield "%s: status %d" % (what, done.returncode)
        elif not all(word in done.stderr for word in [named, text] + words.split()):
            yield "%s: message %r" % (what, done.stderr)
        elif done.stderr.count("\n") != 1:
            yield "%s: more than one line: %r" % (what, done.stderr)


def test_accepted(program):
    for what, lines in ACCEPTED:
        done = run(program, text_of(lines))
        if done.returncode or done.stderr:
            yield "%s: status %d %r" % (what, done.returncode, done.stderr)


def test_no_newline_at_end(program):
    done = run(program, text_of(START) + ANSWERS[0][0])
    if done.returncode or done.stdout != ANSWERS[0][1] + "\n":
        yield "%r %r" % (done.stdout, done.stderr)


def test_answers_before_refusal(program):
    done = run(program, text_of(START + [ANSWERS[0][0], "junk"]))
    if done.returncode != 2 or done.stdout != ANSWERS[0][1] + "\n":
        yield "%r %r" % (done.stdout, done.stderr)


def test_answers_at_once(program):
    """A tool that waits for each answer must not wait for ever."""
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True, bufsize=1) as process:
        process.stdin.write(text_of(START))
        for question, answer in ANSWERS:
            process.stdin.write(question + "\n")
            process.stdin.flush()
            said = process.stdout.readline()
            if said != answer + "\n":
                yield "%r is not %r" % (said, answer)


TESTS = [test_answers, test_refused, test_accepted, test_no_newline_at_end,
         test_answers_before_refusal, test_answers_at_once]


def main():
    program = sys.argv[1]
    failed = 0
    print("KTAP version 1\n1..%d" % len(TESTS))
    for number, test in enumerate(TESTS, 1):
        faults = list(test(program))
        for fault in faults:
            print("# " + fault.replace("\n", "\\n"))
        failed += bool(faults)
        print("%sok %d %s" % ("not " if faults else "", number, test.__name__[len("test_"):]))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
