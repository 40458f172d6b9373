"""pause, step and resume: the program stands still for as long as it is held, and no longer (F10)."""

import os
import pty
import re
import signal
import subprocess
import time

import support


class Pause(support.Case):
    def test_holds(self):
        with support.toy() as server:
            self.hold(server)
            before = self.count(server)
            time.sleep(0.5)
            self.assertEqual(self.count(server), before)

    def test_killed_holder_lets_go(self):
        with support.toy() as server:
            process = self.hold(server)
            before = self.count(server)
            process.kill()
            self.assert_goes_on(server, before)

    def test_signals_let_go(self):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            with support.toy() as server:
                process = self.hold(server)
                before = self.count(server)
                process.send_signal(number)
                self.assertEqual(process.wait(support.LIMIT), 0)
                self.assertEqual(process.stdout.read(), b"The program resumes.\n")
                self.assert_goes_on(server, before)

    def test_each_step_of_2002_is_one_event(self):
        """By the server's own count, in the protocol of 2002 too, which does not tell the end of a step."""
        for prefix in "", "2002:":
            with support.toy() as server:
                process = self.start("pause", prefix + server.address, stdin=subprocess.PIPE)
                self.line(process)
                self.assertIn("Paused", self.line(process))
                before = self.count(server)
                for number in range(1, 11):
                    process.stdin.write(b"step\n")
                    process.stdin.flush()
                    self.assertIn("Stepped; paused at", self.line(process))
                    self.assertEqual(self.count(server), before + number)

    def test_seconds(self):
        with support.toy() as server:
            begin = time.monotonic()
            process = self.hold(server, "--seconds", 1)
            before = self.count(server)
            self.assertEqual(process.wait(support.LIMIT), 0)
            self.assertGreaterEqual(time.monotonic() - begin, 0.9)
            self.assertIn(b"Time is up", process.stdout.read())
            self.assert_goes_on(server, before)

    def test_input_that_never_was_does_not_let_go(self):
        with support.toy() as server:
            for stdin in subprocess.DEVNULL, subprocess.PIPE:
                process = self.hold(server, stdin=stdin)
                if process.stdin:
                    process.stdin.close()
                    process.stdin = None
                time.sleep(0.5)
                self.assertIsNone(process.poll())
                self.assertEqual(self.json("info", server.port)["program"]["held_by"], 1)
                self.end(process)

    def test_closed_input_does_not_let_go(self):
        with support.toy() as server:
            process = self.hold(server, stdin=None, preexec_fn=lambda: os.close(0))
            time.sleep(0.3)
            self.assertIsNone(process.poll())

    def test_lines(self):
        with support.toy() as server:
            out = subprocess.run([support.GCSPY, "pause", server.port], input=b"s\n\n step \nq\n",
                                 stdout=subprocess.PIPE, timeout=support.LIMIT).stdout.decode()
        lines = out.splitlines()
        self.assertEqual(len(lines), 6, out)
        self.assertEqual(lines[0], "Waiting for the program's next event.")
        numbers = [int(re.search(r"#(\d+)", line).group(1)) for line in lines[1:5]]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + 4)))
        self.assertTrue(all(line.startswith("Stepped; paused at #") for line in lines[2:5]))
        self.assertEqual(lines[5], "The program resumes.")

    def test_end_of_input_after_a_line_lets_go(self):
        with support.toy() as server:
            process = self.hold(server, stdin=subprocess.PIPE)
            process.stdin.write(b"s")  # a last line without its end counts
            process.stdin.close()
            process.stdin = None
            self.assertEqual(process.wait(support.LIMIT), 0)
            out = process.stdout.read().decode()
            self.assertIn("Stepped; paused at #", out)
            self.assertTrue(out.endswith("End of input: the program resumes.\n"), out)

    def test_unknown_line(self):
        with support.toy() as server:
            done = subprocess.run([support.GCSPY, "pause", server.port], input=b"what is\nr\n",
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=support.LIMIT)
            self.assertEqual(done.returncode, 0)
            self.assertIn(b"gcspy: s or an empty line steps", done.stderr)

    def test_terminal(self):
        with support.toy() as server:
            ours, theirs = pty.openpty()
            self.addCleanup(os.close, ours)
            process = self.start("pause", server.port, stdin=theirs, start_new_session=True,
                                 preexec_fn=lambda: self.own_terminal(theirs))
            os.close(theirs)
            self.line(process)
            self.assertRegex(self.line(process), r"^Paused( at #\d+ .*)?\r?$")
            os.write(ours, b"\n")
            self.assertIn("Stepped; paused at #", self.line(process))
            os.write(ours, b"\x04")
            self.assertEqual(process.wait(support.LIMIT), 0)
            self.assertIn(b"End of input", process.stdout.read())

    @staticmethod
    def own_terminal(descriptor):
        import fcntl
        import termios
        fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)

    def test_idle_program(self):
        with support.odd() as server:
            process = self.start("pause", server.port)
            self.assertIn("Waiting", self.line(process))
            deadline = time.monotonic() + support.LIMIT
            while self.json("info", server.port)["program"]["state"] != "pausing":
                self.assertLess(time.monotonic(), deadline)
            process.terminate()
            self.assertEqual(process.wait(support.LIMIT), 0)
            self.assertEqual(self.json("info", server.port)["program"]["state"], "running")

    def test_two_holders(self):
        with support.toy() as server:
            first = self.hold(server)
            self.hold(server)
            before = self.count(server)
            first.kill()
            first.wait()
            time.sleep(0.4)
            self.assertEqual(self.count(server), before, "the other one still holds it")


class Step(support.Case):
    def test_one_event(self):
        with support.toy() as server:
            holder = self.hold(server)
            before = self.count(server)
            number = self.json("dump", server.port)["event"]["sequence"]
            for i in range(1, 5):
                out = self.gcspy("step", server.port)
                self.assertRegex(out, r"^Paused at #%d  .*Collection \w+  used before .*\n$"
                                 % (number + i))
                self.assertEqual(self.count(server), before + i)
                self.assertIn("Another client stepped; paused at #%d " % (number + i),
                              self.line(holder))
            time.sleep(0.3)
            self.assertEqual(self.count(server), before + 4)

    def test_running_program(self):
        with support.toy() as server:
            err = self.gcspy("step", server.port, code=1)
            self.assertIn("not paused", err)
            self.assertIn("gcspy pause " + server.port, err)
            self.assert_goes_on(server)

    def test_program_without_events(self):
        with support.odd() as server:
            self.start("pause", server.port)
            deadline = time.monotonic() + support.LIMIT
            while self.json("info", server.port)["program"]["state"] != "pausing":
                self.assertLess(time.monotonic(), deadline)
            err = self.gcspy("step", server.port, "--timeout", 2, code=1)
            self.assertIn("no event within 2 s", err)


class Resume(support.Case):
    def test_lets_go_on(self):
        with support.toy() as server:
            holders = [self.hold(server), self.hold(server)]
            before = self.count(server)
            out = self.gcspy("resume", server.port)
            self.assertEqual(out, "The program resumes; 2 clients held it.\n")
            for holder in holders:
                self.assertEqual(holder.wait(support.LIMIT), 0)
                self.assertEqual(holder.stdout.read(), b"Another client resumed the program.\n")
            self.assert_goes_on(server, before)

    def test_not_held(self):
        with support.toy() as server:
            self.assertEqual(self.gcspy("resume", server.port),
                             "The program is running; no client held it.\n")


if __name__ == "__main__":
    support.main()
