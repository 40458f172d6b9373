"""Every kind of program with every collector (H2, H3, H5, H7, F4, Q4); h2 has a test of its own. Each
collector has one of the programs and each program a collector; all of them with GCSPY_E2E=all.
"""

import copy

import table
from everything import Everything
from jvm import ALL, cases, expand, main


class Program:
    def __init__(self, name, arguments, truth, since=11):
        self.name, self.arguments, self.truth, self.since = name, arguments.split(), truth, since


PROGRAMS = (
    Program("GCBench", "rounds=60", "rounds=60 "),
    Program("Threads", "threads=40 churn=8 share=500k rate=0", "threads=40 started=360 "),
    Program("Humongous", "arrays=80 size=1500k rate=0", "arrays=80 "),
    Program("ClassUnload", "classes=1500 rate=0", "loaded=1500 "),
    Program("Stacks", "kind=virtual rounds=15000", "rounds=60000 ", since=21),
)


def matrix():
    rows = []
    for i, collector in enumerate(table.EVERY):
        for k, program in enumerate(PROGRAMS):
            if ALL or (i + k) % len(PROGRAMS) == 0:
                row = copy.copy(collector)
                row.name = f"{collector.name} {program.name}".strip()
                row.since = max(collector.since, program.since)
                row.program = program
                rows.append(row)
    return tuple(rows)


@expand
class Matrix(Everything):
    @cases(matrix(), in_turn=True)
    def check_program(self, jdk, row):
        """H2, H3, H5, Q4: what is shown of it is so."""
        program = row.program
        self.watch(jdk, row, program.name, program.arguments, program.truth)


if __name__ == "__main__":
    main()
