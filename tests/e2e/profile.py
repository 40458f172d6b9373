"""Asking a JVM's agent for what it sampled, and what the tests want to know of a profile."""

import collections
import time

import jvm
from jvm import wire

BUCKETS = wire.SURVIVAL

Frame = collections.namedtuple("Frame", "kind owner method file line")


class Entry:
    """One sample, or the totals of one call site."""

    def __init__(self, fields, stacks, names):
        for name, value in fields.items():
            setattr(self, name.replace(" ", "_"), value)
        self.frames = () if self.stack is None else stacks[self.stack]
        self.owner, self.thread = names[fields["class"]], names[self.thread]

    def methods(self):
        """Names of all frames, youngest first."""
        return [frame.method for frame in self.frames]

    def __repr__(self):
        where = " < ".join(f"{f.owner}.{f.method}" for f in self.frames[:3])
        return f"{self.owner} by {where}: {self.samples} samples, {self.bytes:.0f} bytes"


class Profile:
    """A decoded profile: fields of the head, and `entries` with their frames."""

    def __init__(self, body):
        fields = wire.profile_decode(body)
        self.kind = wire.PROFILE_WORD[fields.pop("kind")]
        names, entries = fields.pop("names"), fields.pop("entries")
        frames = [Frame(f["kind"].lower().replace("_", " "), f["class"], f["method"], f["file"],
                        f["line"]) for f in fields.pop("frames")]
        stacks = []
        for parent, youngest in fields.pop("stacks"):
            stacks.append((frames[youngest],) + (() if parent is None else stacks[parent]))
        for name, value in fields.items():
            setattr(self, name.replace(" ", "_"), value)
        self.names = names
        self.entries = [Entry(e, stacks, names) for e in entries]

    def regions(self, entry):
        """The type of region of an entry, or None."""
        return None if entry.region is None else self.names[entry.region]

    def by(self, method):
        """The entries with a frame of that method."""
        return [e for e in self.entries if any(f.method == method for f in e.frames)]

    def total(self, method, what="bytes"):
        return sum(getattr(e, what) for e in self.by(method))


class Sampler(jvm.View):
    """A client that asks, and waits for each answer."""

    def answer(self, number):
        return self.answered(number, jvm.TIMEOUT)

    def profile(self, kind="allocated"):
        answer = self.answer(self.ask("sites", ("kind", kind)))
        assert answer.status == "OK" and not answer.failed, answer.words
        return Profile(answer.body)

    def steady(self, kind="allocated"):
        """The profile of a program at rest, once nothing more arrives: three times the same."""
        deadline, before, same = time.monotonic() + jvm.TIMEOUT, None, 0
        while same < 3:
            assert time.monotonic() < deadline, "samples arrive without an end"
            p = self.profile(kind)
            now = p.samples, p.died, p.tracked
            same = same + 1 if now == before else 0
            before = now
            self.idle(0.12)
        return p

    def there(self, where):
        """The live samples that lie there."""
        answer = self.answer(self.ask("sites", ("where", where)))
        assert answer.status == "OK" and not answer.failed, answer.words
        return Profile(answer.body)

    def chosen(self, kind, *parameters):
        """The profile of what passes these parameters."""
        answer = self.answer(self.ask("sites", ("kind", kind), *parameters))
        assert answer.status == "OK" and not answer.failed, answer.words
        return Profile(answer.body)

    def tiles(self, site):
        """Where the samples of a call site lie."""
        answer = self.answer(self.ask("tiles", ("site", site)))
        assert answer.status == "OK" and not answer.failed, answer.words
        return wire.tiles_decode(answer.body)

    def refusal(self, topic, *parameters):
        answer = self.answer(self.ask(topic, *parameters))
        return answer.status, answer.words

    def interval(self, value):
        """Sets the interval; the answer has to be OK. Returns its words."""
        answer = self.answer(self.set("interval", str(value)))
        assert answer.status == "OK", answer.words
        return answer.words

    def state(self):
        return self.lines()["Sampling"]
