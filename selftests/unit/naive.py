#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The buffer law a second time, naively.

Written from the text of DESIGN section 5 and from nothing else, with Python's
unbounded integers, so that a fault of core/buffer.c (an overflow, a forgotten
counter, a misread sentence) shows as a difference.  Nothing is kept that can be
summed: S, the pool's use and P are computed from the accounts each time.

As a program: reads a trace (DESIGN section 12) and prints what buffer-trace must
print.  differential.py drives the same classes with random traces.
"""

import re
import sys

SIZE_MIN = 16 << 10
SIZE_MAX = 4 << 30
U32_MAX = (1 << 32) - 1
ALPHA_MIN, ALPHA_MAX = -10, 7


class Refused(Exception):
    """A line that the language or the law does not take."""


class Account:
    """What a PG or a queue is allowed (upper half) and holds (lower half)."""

    def __init__(self, is_pg):
        self.is_pg = is_pg
        self.guaranteed = 0
        self.headroom = 0
        self.alpha = None           # None: static (PG) or limit (queue)
        self.xon_offset = 0
        self.xoff = 0
        self.xon = 0
        self.limit = 0
        self.g = self.s = self.h = 0
        self.from_pool = 0          # the part of h that is charged to HP
        self.paused = False

    def held(self):
        return self.g + self.s + self.h


class Switch:
    def __init__(self, size, cell, pool):
        self.size = size
        self.cell = cell
        self.pool = pool
        self.by_key = {}            # (is_pg, port, priority) -> Account, as declared
        self.frames = []            # [in, out, prio, bytes, Account], in order of arrival

    # -- what the law calls R, P, S, T, L ---------------------------------

    def accounts(self):
        return self.by_key.values()

    def reserved(self):
        return self.pool + sum(a.guaranteed + a.headroom for a in self.accounts())

    def shared_size(self):
        return self.size - self.reserved()

    def shared_used(self):
        return sum(a.s for a in self.accounts())

    def threshold(self, account):
        if account.alpha is None:
            if account.is_pg:
                return account.xoff - account.guaranteed
            return account.limit
        free = max(0, self.shared_size() - self.shared_used())
        if account.alpha >= 0:
            return free * 2 ** account.alpha
        return free // 2 ** -account.alpha

    def frame_bytes(self, length):
        """Whole cells; what would not fit 32 bits then stays as it is."""
        if not self.cell:
            return length
        rounded = -(-length // self.cell) * self.cell
        return rounded if rounded <= U32_MAX else length

    # -- the law ------------------------------------------------------------

    def pool_free(self):
        return max(0, self.pool - sum(a.from_pool for a in self.accounts()))

    def charge(self, account, length):
        admitted = self.place(account, length)
        if account.is_pg and (not admitted or self.is_over(account)):
            account.paused = True
        return admitted

    def is_over(self, account):
        return account.h > 0 or 0 < account.s >= self.threshold(account)

    def place(self, account, length):
        a = min(length, account.guaranteed - account.g)
        r = length - a
        if r == 0:
            pass
        elif (account.s + r <= self.threshold(account) and
              self.shared_used() + r <= self.shared_size()):
            account.s += r
        elif (account.is_pg and
              account.h + r <= account.headroom + account.from_pool + self.pool_free()):
            self.add_headroom(account, r)
        else:
            return False
        account.g += a
        return True

    def add_headroom(self, account, length):
        """Private first, then HP; what exceeds both is charged to neither."""
        private = account.h - account.from_pool
        to_pool = length - max(0, min(length, account.headroom - private))
        account.h += length
        account.from_pool += min(to_pool, self.pool_free())

    def release(self, account, length):
        from_h = min(account.h, length)
        from_s = min(account.s, length - from_h)
        account.h -= from_h
        account.from_pool -= min(account.from_pool, from_h)
        account.s -= from_s
        account.g -= length - from_h - from_s
        self.judge(account)

    def judge(self, account):
        if not account.paused or account.h > 0:
            return
        if account.alpha is not None:
            quiet = (account.s == 0 or
                     account.s + account.xon_offset <= self.threshold(account))
        else:
            quiet = account.g + account.s <= account.xon
        if quiet:
            account.paused = False

    # -- other sizes while bytes are in use -----------------------------------

    def refile(self, account):
        rest, held = account.held(), account.s
        account.g = account.s = account.h = account.from_pool = 0
        account.g = min(rest, account.guaranteed)
        rest -= account.g
        self.take_shared(account, rest, held if account.alpha is not None else 0)
        rest -= account.s
        if account.is_pg:
            self.add_headroom(account, rest)
        else:
            account.h = rest            # a queue has no headroom, and no share of HP
        if account.is_pg and self.is_over(account):
            account.paused = True
        else:
            self.judge(account)

    def take_shared(self, account, most, held):
        """The most s that is not above the T which it makes itself, or that was there: tried out."""
        low, high = 0, most
        while low < high:
            account.s = (low + high + 1) // 2
            if ((account.s <= self.threshold(account) or account.s <= held) and
                    self.shared_used() <= self.shared_size()):
                low = account.s
            else:
                high = account.s - 1
        account.s = low

    def declare(self, key, new):
        """A P or a Q line: @new has the sizes, the account of @key gets them."""
        before = self.shared_size()
        account = self.by_key.setdefault(key, new)
        for name in ("guaranteed", "headroom", "alpha", "xon_offset", "xoff", "xon", "limit"):
            setattr(account, name, getattr(new, name))
        if self.shared_size() < 0:
            raise Refused("reserved %d, size %d" % (self.reserved(), self.size))
        if self.shared_size() == before:
            self.refile(account)
            return
        if self.shared_size() < self.shared_used():
            for each in self.accounts():
                each.h += each.s
                each.s = each.from_pool = 0
        for each in self.accounts():
            self.refile(each)


# -- the language ---------------------------------------------------------------

RANGES = {
    "size": (SIZE_MIN, SIZE_MAX), "cell": (0, U32_MAX), "port": (1, U32_MAX),
    "prio": (0, 7), "alpha": (ALPHA_MIN, ALPHA_MAX), "in": (0, U32_MAX),
    "out": (1, U32_MAX), "len": (1, U32_MAX),
}
BYTES = (0, 1 << 62)

KINDS = {
    "N": [{"size", "cell", "hpool"}],
    "P": [{"port", "prio", "g", "h", "alpha", "xonoff"},
          {"port", "prio", "g", "h", "xoff", "xon"}],
    "Q": [{"port", "prio", "g", "alpha"}, {"port", "prio", "g", "limit"}],
    "E": [{"in", "out", "prio", "len"}],
    "D": [{"in", "out", "prio", "len"}],
    "R": [{"port", "prio"}],
}


def parse(line):
    words = line.split()
    if not words or words[0] not in KINDS:
        raise Refused("no such line")
    values = {}
    for word in words[1:]:
        match = re.fullmatch(r"([a-z]+)=(-?[0-9]+)", word)
        if not match or match[1] in values:
            raise Refused("no key=value, or given twice")
        name, value = match[1], int(match[2])
        low, high = RANGES.get(name, BYTES)
        if not low <= value <= high or ("-" in word and name != "alpha"):
            raise Refused("out of range")
        values[name] = value
    if set(values) not in KINDS[words[0]]:
        raise Refused("a key is missing or unknown")
    return words[0], values


class Trace:
    """A switch that is driven by lines."""

    def __init__(self):
        self.switch = None
        self.number = 0

    def line(self, text):
        """Returns what must be printed for @text, or None for N, P and Q."""
        kind, v = parse(text)
        if (kind == "N") != (self.switch is None):
            raise Refused("N comes first and once")
        return getattr(self, "read_" + kind)(v)

    def read_N(self, v):
        if v["hpool"] > v["size"]:
            raise Refused("reserved %d, size %d" % (v["hpool"], v["size"]))
        self.switch = Switch(v["size"], v["cell"], v["hpool"])

    def read_P(self, v):
        new = Account(True)
        new.guaranteed, new.headroom = v["g"], v["h"]
        new.alpha, new.xon_offset = v.get("alpha"), v.get("xonoff", 0)
        new.xoff, new.xon = v.get("xoff", 0), v.get("xon", 0)
        if new.alpha is None and new.xoff < new.guaranteed or new.xon > new.xoff:
            raise Refused("xoff below g or below xon")
        self.switch.declare((True, v["port"], v["prio"]), new)

    def read_Q(self, v):
        new = Account(False)
        new.guaranteed, new.alpha, new.limit = v["g"], v.get("alpha"), v.get("limit", 0)
        self.switch.declare((False, v["port"], v["prio"]), new)

    def read_E(self, v):
        accounts = self.switch.by_key
        account = (accounts.get((True, v["in"], v["prio"])) or
                   accounts.get((False, v["out"], v["prio"])))
        if not account:
            raise Refused("neither P nor Q")
        length = self.switch.frame_bytes(v["len"])
        was = account.paused
        admitted = self.switch.charge(account, length)
        if admitted:
            self.switch.frames.append([v["in"], v["out"], v["prio"], length, account])
        return self.show("admit" if admitted else "drop", account, was)

    def read_D(self, v):
        length = self.switch.frame_bytes(v["len"])
        wanted = [v["in"], v["out"], v["prio"], length]
        for i, frame in enumerate(self.switch.frames):
            if frame[:4] == wanted:
                break
        else:
            raise Refused("no such frame")
        account = self.switch.frames.pop(i)[4]
        was = account.paused
        self.switch.release(account, length)
        return self.show("leave", account, was)

    def read_R(self, v):
        account = self.switch.by_key.get((True, v["port"], v["prio"]))
        if not account:
            raise Refused("no such PG")
        was = account.paused
        self.switch.judge(account)
        return self.show("judge", account, was)

    def show(self, verb, account, was):
        self.number += 1
        pfc = "-"
        if account.paused != was:
            pfc = "pause" if account.paused else "resume"
        return "%d %s g=%d s=%d h=%d S=%d T=%d state=%s pfc=%s" % (
            self.number, verb, account.g, account.s, account.h if account.is_pg else 0,
            self.switch.shared_used(), self.switch.threshold(account),
            "xoff" if account.paused else "xon", pfc)


def main():
    trace = Trace()
    for number, text in enumerate(sys.stdin, 1):
        try:
            answer = trace.line(text.rstrip("\n"))
        except Refused as why:
            print("naive: line %d: %s: %s" % (number, why, text.rstrip("\n")), file=sys.stderr)
            return 2
        if answer:
            print(answer, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
