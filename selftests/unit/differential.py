#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Random traces through buffer-trace and through the naive law, compared line by line.

Each trace comes from a seed: sizes, thresholds, a few hundred events with a bias to the
edges of the law (a frame that just fits and one that is a byte too long), changes of sizes
in between, a drain, and a refresh of each PG.  After each event the naive switch must keep
what section 5 of DESIGN promises for every instant; equal lines carry that over to core/.

On a difference: seed, the shortest failing prefix with whatever is not needed taken out,
and both answers.
"""

import argparse
import random
import subprocess
import sys

import naive


class Broken(Exception):
    """A promise of the law that was not kept."""


# -- the promises ---------------------------------------------------------------


def overhang(account):
    """What a change of sizes left without a place."""
    return max(0, account.h - account.from_pool - account.headroom)


def check_account(switch, account):
    held = sum(f[3] for f in switch.frames if f[4] is account)
    if held != account.held():
        raise Broken("g + s + h is %d, the frames have %d" % (account.held(), held))
    if min(account.g, account.s, account.h, account.from_pool) < 0:
        raise Broken("a negative counter")
    if (held <= account.guaranteed) != (account.s == account.h == 0):
        raise Broken("not filled in the order guaranteed, shared, headroom")
    if account.is_pg and account.h and not account.paused:
        raise Broken("bytes in headroom and XON")


def check_switch(switch):
    if not 0 <= switch.shared_used() <= switch.shared_size():
        raise Broken("S is %d, P %d" % (switch.shared_used(), switch.shared_size()))
    if sum(a.from_pool for a in switch.accounts()) > switch.pool:
        raise Broken("more headroom lent than the pool has")
    for account in switch.accounts():
        check_account(switch, account)


def check_arrival(account, answer, was_paused, was_overhang):
    dropped = " drop " in answer
    if overhang(account) > was_overhang:
        raise Broken("h above H + HP share")
    if not account.is_pg:
        return
    if dropped and not account.paused:
        raise Broken("a refused frame left its PG in XON")
    if (account.paused and not was_paused and not dropped and
            account.held() <= account.guaranteed):
        raise Broken("a pause although all frames fitted inside the guarantee")


def check_drained(switch):
    for account in switch.accounts():
        if account.held() or account.from_pool or account.paused:
            raise Broken("drained and refreshed, but not empty and XON")


# -- random traces ----------------------------------------------------------------


class Generator:
    """Makes a trace up while the naive switch runs it."""

    def __init__(self, seed, events):
        self.random = random.Random(seed)
        self.events = events
        self.trace = naive.Trace()
        self.lines = []
        self.answers = []
        self.refused = None         # number of the line that must be refused

    def say(self, text):
        self.lines.append(text)
        answer = self.trace.line(text)
        if answer:
            self.answers.append(answer)
        check_switch(self.trace.switch)
        return answer

    # -- sizes

    def up_to(self, most):
        """0 to @most, small values as likely as large ones."""
        r = self.random
        kind = r.random()
        if kind < 0.1 or most <= 0:
            return 0
        if kind < 0.2:
            return most
        if kind < 0.6:
            return r.randint(0, most)
        return r.randint(0, min(most, 1 << r.randint(0, most.bit_length())))

    def reserve(self, account=None):
        """A part of what is still free, or of that and what @account has."""
        switch = self.trace.switch
        free = switch.shared_size()
        if account:
            free += account.guaranteed + account.headroom
        return self.up_to(free if self.random.random() < 0.1 else free // 3)

    def pg_line(self, port, prio):
        r = self.random
        old = self.trace.switch.by_key.get((True, port, prio))
        both = self.reserve(old)
        g = r.choice([0, both, both // 2, r.randint(0, both)])
        text = "P port=%d prio=%d g=%d h=%d" % (port, prio, g, both - g)
        size = self.trace.switch.size
        if r.random() < 0.6:
            return text + " alpha=%d xonoff=%d" % (r.randint(-10, 7), self.up_to(size // 4))
        xoff = g + self.up_to(size)
        return text + " xoff=%d xon=%d" % (xoff, r.choice([xoff, g, min(g, xoff) // 2,
                                                           r.randint(0, xoff)]))

    def queue_line(self, port, prio):
        r = self.random
        old = self.trace.switch.by_key.get((False, port, prio))
        text = "Q port=%d prio=%d g=%d" % (port, prio, self.reserve(old) // 2)
        if r.random() < 0.6:
            return text + " alpha=%d" % r.randint(-10, 7)
        return text + " limit=%d" % self.up_to(2 * self.trace.switch.size)

    def declare_line(self, is_pg, port, prio):
        return (self.pg_line if is_pg else self.queue_line)(port, prio)

    def random_place(self):
        r = self.random
        return r.random() < 0.6, r.randint(1, self.ports), r.choice(self.priorities)

    def set_up(self):
        r = self.random
        size = int(2 ** r.uniform(14, 32)) if r.random() < 0.9 else r.choice([1 << 14, 1 << 32])
        cell = r.choice([0, 1, 1, 1, 64, 80, 208, 256, r.randint(2, 20000)])
        pool = self.up_to(size) if r.random() < 0.1 else self.up_to(size // 4)
        self.say("N size=%d cell=%d hpool=%d" % (size, cell, r.choice([0, pool])))
        self.ports = r.randint(1, 4)
        self.priorities = r.sample(range(8), r.randint(1, 3))
        for _ in range(r.randint(1, 8)):
            self.say(self.declare_line(*self.random_place()))
        self.mean = int(2 ** r.uniform(0, 32)) if r.random() < 0.3 else size // r.randint(4, 200)
        self.style = r.choice(["ethernet", "word", "mean", "mean"])

    # -- events

    def edge(self, account):
        """A length beside which the answer changes."""
        switch = self.trace.switch
        guaranteed = account.guaranteed - account.g
        return self.random.choice([
            guaranteed,
            guaranteed + switch.threshold(account) - account.s,
            guaranteed + switch.shared_size() - switch.shared_used(),
            guaranteed + account.headroom + account.from_pool - account.h + switch.pool_free(),
        ]) + self.random.choice([-1, 0, 0, 1])

    def length(self, account):
        r = self.random
        if r.random() < 0.2:
            length = self.edge(account)
        elif self.style == "ethernet":
            length = r.choice([64, 1518, 9216, r.randint(60, 9216)])
        elif self.style == "word":
            length = r.randint(1, 65535)
        else:
            length = r.randint(1, 2 * self.mean)
        return max(1, min(length, naive.U32_MAX))

    def arrive(self):
        r = self.random
        is_pg, port, prio = r.choice(list(self.trace.switch.by_key))
        account = self.trace.switch.by_key[is_pg, port, prio]
        into, out = (port, r.randint(1, 3)) if is_pg else (r.choice([0, 99]), port)
        was = account.paused, overhang(account)
        answer = self.say("E in=%d out=%d prio=%d len=%d" % (into, out, prio,
                                                             self.length(account)))
        check_arrival(account, answer, *was)

    def leave(self):
        """Any frame: two PGs do not leave in the order in which they came."""
        frames = self.trace.switch.frames
        into, out, prio, length, _ = frames[self.random.choice([0, -1, self.random.randrange(
            len(frames))])]
        self.say("D in=%d out=%d prio=%d len=%d" % (into, out, prio, length))

    def refresh(self, key):
        self.say("R port=%d prio=%d" % key[1:])

    def step(self, arrivals):
        r = self.random
        pgs = [key for key in self.trace.switch.by_key if key[0]]
        dice = r.random()
        if dice < 0.015:
            self.say(self.declare_line(*r.choice(list(self.trace.switch.by_key))))
        elif dice < 0.02:
            self.say(self.declare_line(*self.random_place()))
        elif dice < 0.06 and pgs:
            self.refresh(r.choice(pgs))
        elif r.random() < arrivals or not self.trace.switch.frames:
            self.arrive()
        else:
            self.leave()

    def drain(self):
        while self.trace.switch.frames:
            self.leave()
        for key in self.trace.switch.by_key:
            if key[0]:
                self.refresh(key)
        check_drained(self.trace.switch)

    def end_badly(self):
        size = self.trace.switch.size
        text = self.random.choice([
            "P port=1 prio=1 g=%d h=0 alpha=0 xonoff=0" % (size + 1),
            "P port=1 prio=1 g=1 h=0 xoff=0 xon=0",
            "P port=1 prio=1 g=0 h=0 xoff=1 xon=2",
            "P port=1 prio=1 g=0 h=0 alpha=8 xonoff=0",
            "Q port=1 prio=1 g=%d alpha=1" % (size + 1),
            "E in=0 out=77 prio=0 len=1",
            "D in=0 out=77 prio=0 len=1",
            "R port=77 prio=0",
            "E in=0 out=1 prio=8 len=1",
            "N size=%d cell=1 hpool=0" % size,
        ])
        try:
            self.say(text)
        except naive.Refused:
            self.refused = len(self.lines)
            return
        raise Broken("not refused")

    def run(self):
        self.set_up()
        arrivals = 0.5
        for i in range(self.events):
            if i % 40 == 0:
                arrivals = self.random.choice([0.3, 0.5, 0.6, 0.8, 0.95])
            self.step(arrivals)
        self.drain()
        if self.random.random() < 0.1:
            self.end_badly()


# -- comparison ---------------------------------------------------------------------


def run_program(program, lines):
    done = subprocess.run([program], input="\n".join(lines) + "\n", text=True,
                          capture_output=True, check=False)
    return done.returncode, done.stdout.splitlines(), done.stderr


def differs(program, lines):
    """The first difference (naive answer, program's answer), or None."""
    trace = naive.Trace()
    try:
        answers = [a for a in map(trace.line, lines) if a]
    except (naive.Refused, AttributeError):
        return None                 # shrinking took a line out that was needed
    status, said, error = run_program(program, lines)
    for ours, theirs in zip(answers, said):
        if ours != theirs:
            return ours, theirs
    if status or len(said) != len(answers):
        return "%d lines" % len(answers), "%d lines, status %d, %s" % (len(said), status, error)
    return None


def failing_prefix(program, lines):
    for end in range(1, len(lines) + 1):
        if lines[end - 1][0] in "EDR" and differs(program, lines[:end]):
            return lines[:end]
    return lines


def without_frames(program, lines):
    """Takes frames out that came and left: neither line can go alone."""
    start = 0
    while start < len(lines):
        leaves = "D" + lines[start][1:]
        if lines[start][0] == "E" and leaves in lines[start:]:
            end = lines.index(leaves, start)
            fewer = lines[:start] + lines[start + 1:end] + lines[end + 1:]
            if differs(program, fewer):
                lines = fewer
                continue
        start += 1
    return lines


def shrink(program, lines):
    """The failing prefix without the lines that the difference does not need."""
    lines = without_frames(program, failing_prefix(program, lines))
    step = len(lines) // 2
    while step:
        start = 0
        while start < len(lines):
            fewer = lines[:start] + lines[start + step:]
            if differs(program, fewer):
                lines = fewer
            else:
                start += step
        step //= 2
    return lines


def report(seed, program, lines):
    """A comment in KTAP: what to run again, and both answers."""
    shortest = shrink(program, lines)
    ours, theirs = differs(program, shortest) or ("?", "?")
    print("# seed %d, %s: naive: %s" % (seed, program, ours))
    print("# seed %d, %s: program: %s" % (seed, program, theirs))
    for line in shortest:
        print("#    " + line)


def compare(seed, events, program):
    generator = Generator(seed, events)
    try:
        generator.run()
    except Broken as why:
        print("# seed %d: %s, after" % (seed, why))
        for line in generator.lines:
            print("#    " + line)
        return False
    status, said, error = run_program(program, generator.lines)
    if said != generator.answers:
        report(seed, program, generator.lines)
        return False
    if generator.refused:
        refused = status == 2 and "line %d:" % generator.refused in error
    else:
        refused = status == 0 and not error
    if not refused:
        print("# seed %d: status %d: %s" % (seed, status, error))
    return refused


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1, help="of the first trace")
    parser.add_argument("--traces", type=int, default=3000)
    parser.add_argument("--events", type=int, default=250)
    arguments = parser.parse_args()
    failed = 0
    for seed in range(arguments.seed, arguments.seed + arguments.traces):
        if not compare(seed, arguments.events, arguments.program):
            failed += 1
            if failed == 3:
                break
    print("# %d traces of %d events and more, %d failed" %
          (arguments.traces, arguments.events, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
