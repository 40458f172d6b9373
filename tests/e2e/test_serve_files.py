"""What is installed with `gcspy serve` for other systems (E3, E4): the alert rules fire when they should, each
question of the dashboard is one that Prometheus understands, about a metric that there is; the unit and
the examples for Kubernetes say what their comments promise.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
FILES = os.path.realpath(os.path.join(ROOT, "protocol", "serve", "deploy"))


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def metrics():
    """The names of the table in docs/serve.md, which e2e.serve compares with what is served."""
    section = read(ROOT, "docs", "serve.md").split("\n## Metrics\n")[1].split("\n## ")[0]
    return {name for row in section.splitlines() if row.startswith("| `")
            for name in re.findall(r"`([a-z_]+)`", row.split("|")[1])}


def named(question):
    """The metrics in a question, without the suffixes of histograms."""
    return {re.sub(r"^(jvm_gc_duration_seconds)_(bucket|sum|count)$", r"\1", name)
            for name in re.findall(r"\b(?:gcspy|jvm|process)_(?!gc_cause|memory_pool_name)\w+", question)}


def promtool(*words):
    done = subprocess.run(["promtool", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.returncode, done.stdout


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gcspy-serve-")
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def dashboard(self):
        return json.loads(read(FILES, "gcspy-dashboard.json"))

    def test_dashboard(self):
        board = self.dashboard()
        panels = board["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        places = {(p["gridPos"]["x"], p["gridPos"]["y"]) for p in panels}
        self.assertEqual(len(places), len(panels), "none hides another")
        self.assertEqual({v["name"] for v in board["templating"]["list"]}, {"datasource", "instance", "program"})
        for legend in (t["legendFormat"] for panel in panels for t in panel["targets"]):
            self.assertIn("{{instance}} {{program}} {{pid}}{{socket}}", legend)
        questions = [target["expr"] for panel in panels for target in panel["targets"]]
        self.assertGreater(len(questions), 10)
        for question in questions:
            self.assertTrue("$program" in question and "$instance" in question, question)
            # JVMs of several hosts and pods are not merged: in a sidecar all have the same PID.
            for labels in re.findall(r"\bby \((.*?)\)", question):
                self.assertTrue({"instance", "program", "pid", "socket"} <= set(labels.split(", ")))
            self.assertTrue(named(question) and named(question) <= metrics(), question)

    def test_rules_are_about_metrics_that_there_are(self):
        rules = read(FILES, "gcspy.rules.yml")
        self.assertTrue(named(rules) and named(rules) <= metrics(), named(rules) - metrics())

    @unittest.skipUnless(shutil.which("promtool"), "no promtool (Debian: prometheus)")
    def test_prometheus_takes_them(self):
        rules = os.path.join(FILES, "gcspy.rules.yml")
        self.assertEqual(promtool("check", "rules", rules)[0], 0)
        tests = self.write("test.yml", read(HERE, "serve_rules_test.yml").replace("RULES", rules))
        code, said = promtool("test", "rules", tests)
        self.assertEqual(code, 0, said)
        # The questions of the dashboard, as rules.
        questions = [{"record": f"question:{i}", "expr": re.sub(
            r"\$__rate_interval", "5m", target["expr"].replace("$program", ".*").replace("$instance", ".*"))}
            for panel in self.dashboard()["panels"] for i, target in enumerate(
                panel["targets"], 100 * panel["id"])]
        made = self.write("board.yml", json.dumps({"groups": [{"name": "g", "rules": questions}]}))
        code, said = promtool("check", "rules", made)
        self.assertEqual(code, 0, said)

    def test_unit(self):
        unit = read(FILES, "gcspy-serve.service")
        command = re.search(r"^ExecStart=/usr/bin/gcspy serve (.*)$", unit, re.M)[1]
        known = read(ROOT, "docs", "command-line.md")
        for option in re.findall(r"--[a-z-]+", command):
            self.assertRegex(known, rf"(?m)^\| `{option}[ `][^|]*\| [^|]*\bserve\b")
        self.assertIn("--token-file", command)
        self.assertTrue(command.endswith(" $GCSPY_SERVE_OPTIONS"), command)
        self.assertIn("\nEnvironmentFile=-/etc/default/gcspy-serve\n", unit)
        # Prometheus' copy of the token is where the pages say.
        copy = "install -m 400 -o prometheus /etc/gcspy/token /etc/prometheus/gcspy-token"
        self.assertIn(copy, unit)
        for page in ("serve.md", os.path.join("howto", "many-jvms.md")):
            self.assertIn(copy, " ".join(read(ROOT, "docs", page).split()))
        if shutil.which("systemd-analyze"):
            path = self.write("gcspy-serve.service", unit.replace("/usr/bin/gcspy", "/bin/true"))
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", path],
                                  capture_output=True, text=True, check=False)
            self.assertNotIn("gcspy-serve.service:", done.stderr)

    def yaml(self, name):
        """The only document; by Debian's own Python, which has the reader."""
        done = subprocess.run(["/usr/bin/python3", "-c", "import json, sys, yaml\n"
                               "print(json.dumps(yaml.safe_load(sys.stdin)))"], text=True,
                              input=read(FILES, name), capture_output=True, check=False)
        if "ModuleNotFoundError" in done.stderr:
            self.skipTest("no python3-yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def check_container(self, container, volumes, capabilities=()):
        context = container["securityContext"]
        self.assertTrue(context["readOnlyRootFilesystem"])
        self.assertFalse(context["allowPrivilegeEscalation"])
        self.assertEqual(context["capabilities"]["drop"], ["ALL"])
        self.assertEqual(context["capabilities"].get("add", []), list(capabilities))
        self.assertTrue({mount["name"] for mount in container.get("volumeMounts", ())} <= volumes)

    def check_served(self, container):
        words = container["command"]
        options = dict(word.split("=") for word in words if "=" in word)
        self.assertEqual(words[:2], ["gcspy", "serve"])
        self.assertTrue({"--token-file", "--tls-cert", "--tls-key"} <= set(options), words)
        self.assertEqual(options["--listen"].rsplit(":", 1)[1],
                         str(container["ports"][0]["containerPort"]))
        mounts = [mount["mountPath"] for mount in container["volumeMounts"]]
        for key in ("--token-file", "--tls-cert", "--tls-key"):
            self.assertIn(os.path.dirname(options[key]), mounts)

    def test_sidecar(self):
        """Nobody is root, has a capability, or writes to a root file system."""
        spec = self.yaml("kubernetes-sidecar.yaml")["spec"]
        volumes = {volume["name"] for volume in spec["volumes"]}
        self.assertTrue(spec["shareProcessNamespace"] and spec["securityContext"]["runAsNonRoot"])
        for container in spec["initContainers"] + spec["containers"]:
            self.check_container(container, volumes)
        self.check_served(spec["containers"][1])
        agent = [mount["mountPath"] for container in spec["containers"]
                 for mount in container["volumeMounts"] if mount["name"] == "gcspy"]
        self.assertEqual(agent, ["/gcspy", "/gcspy"], "the same path in both")

    def test_daemonset(self):
        document = self.yaml("kubernetes-daemonset.yaml")
        spec = document["spec"]["template"]["spec"]
        labels = document["spec"]["template"]["metadata"]["labels"]
        self.assertEqual(document["spec"]["selector"]["matchLabels"], labels)
        self.assertTrue(spec["hostPID"])
        self.check_container(spec["containers"][0], {volume["name"] for volume in spec["volumes"]},
                             ("DAC_OVERRIDE", "KILL", "SETGID", "SETUID", "SYS_PTRACE"))
        self.check_served(spec["containers"][0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
