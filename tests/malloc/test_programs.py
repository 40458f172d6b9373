"""Programs that people run do the same with libgcspymalloc.so preloaded, watched by a recorder (M3).

LIBRARY comes from CMake. A program that is not installed is skipped by name.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

LIBRARY = os.environ["LIBRARY"]

C = r"""
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *left, *right; char name[40]; };
static struct node *tree(int depth) {
	struct node *n = calloc(1, sizeof *n);
	if (depth) { n->left = tree(depth - 1); n->right = tree(depth - 1); }
	snprintf(n->name, sizeof n->name, "node %d", depth);
	return n;
}
int main(void) { struct node *n = tree(12); puts(n->left->name); return 0; }
"""

SQL = """create table t(a integer primary key, b text);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000)
insert into t select x, printf('%08d', x * 7919 % 20011) from c;
create index i on t(b);
select count(*), sum(a), min(b), max(b) from t where b like '0001%';
select group_concat(b) from (select b from t order by b desc limit 5);
"""

PYTHON = """
import json, threading
def work(n): results[n] = json.dumps({str(i): [i] * (i % 7) for i in range(20000)}, sort_keys=True)
results = {}
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(len(set(results.values())), sum(map(len, results.values())))
"""


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def same(self, words, text=None, files=(), **variables):
        """Runs it plain and watched; compares output, messages, status and the files it writes."""
        if shutil.which(words[0]) is None:
            self.skipTest(f"{words[0]} is not installed")
        seen = []
        for extra in ({}, {"LD_PRELOAD": LIBRARY,
                           "GCSPYMALLOC": f"children=yes,update=5,record={self.folder}/%p.gcspy"}):
            environment = dict(os.environ, **variables, **extra)
            done = subprocess.run(words, input=text, env=environment, capture_output=True,
                                  text=True, timeout=300, cwd=self.folder, check=False)
            written = []
            for name in files:
                with open(f"{self.folder}/{name}", "rb") as file:
                    written.append(file.read())
            seen.append((done.stdout, done.stderr, done.returncode, written))
        self.assertEqual(seen[1], seen[0])
        recordings = [n for n in os.listdir(self.folder) if n.endswith(".gcspy")]
        self.assertNotEqual(recordings, [], "it was watched")

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)

    def test_bash(self):
        self.same(["bash", "-c", "declare -A a; for i in {1..3000}; do a[$i]=$(($i * 3)); done; "
                   "for i in {1..50}; do echo ${a[$i]} | cat; done; (exit 3); echo $?; "
                   "x=$(seq 1 20000); echo ${#x}; wait; exit 5"])

    def test_gcc(self):
        self.write("t.c", C)
        self.same(["gcc", "-O2", "-Wall", "t.c", "-o", "t.out"], files=["t.out"])
        self.same(["gcc", "-S", "-O3", "-o", "-", "t.c"])

    def test_python(self):
        self.same([sys.executable, "-c", PYTHON], PYTHONMALLOC="malloc")

    def test_sqlite(self):
        self.same(["sqlite3", ":memory:"], SQL)

    def test_java(self):
        self.same(["java", "-Xshare:auto", "-version"])

    def test_git(self):
        self.same(["git", "init", "-q", "r"])
        self.same(["git", "-C", "r", "status", "--porcelain"])

    def test_perl(self):
        self.same(["perl", "-e", "my %h; $h{$_ % 997} .= $_ for 1..100000; "
                   "print join(',', map { length $h{$_} } sort keys %h), \"\\n\""])

    def test_sort(self):
        text = "".join(f"{i * 7919 % 100003}\n" for i in range(100000))
        self.same(["sort", "-n", "--parallel=4"], text)


if __name__ == "__main__":
    unittest.main()
