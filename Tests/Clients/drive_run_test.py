"""`stratus drive run` on two machines of one person, with the commands that ask it.

Run with the tests' virtual environment: .venv/bin/python -m unittest discover -s Tests/Clients -p '*_test.py'
STRATUS_BINARY names the server; .build/debug/stratus if it is not set.
"""

import json
import os
import signal
import subprocess
import unittest

from files import FilesTest, environment


class Machine:
    """A home with a running `stratus drive run`."""

    def __init__(self, cloud, token, home, *options):
        self.directory = home / "files"
        home.mkdir(parents=True)
        self.environment = environment(cloud, token, home)
        self.binary = cloud.binary
        self.options = options
        self.log = open(home / "log", "a+b")
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [self.binary, "drive", "run", "--dir", str(self.directory), *self.options], env=self.environment,
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        if line != f"synchronizing {self.directory.resolve()}\n":
            self.process.wait()
            self.log.seek(0)
            raise RuntimeError(f"the agent did not start: {line!r} {self.log.read().decode()}")
        return self

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait()
        self.process.stdout.close()
        return status

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def close(self):
        if self.process and self.process.poll() is None:
            self.stop()
        self.log.close()

    def run(self, *arguments):
        return subprocess.run(
            [self.binary, "drive", *arguments, "--json"], env=self.environment, cwd=self.directory,
            capture_output=True, text=True)

    def tool(self, *arguments):
        result = self.run(*arguments)
        if result.returncode != 0:
            raise AssertionError(f"{arguments}: {result.stdout} {result.stderr}")
        return json.loads(result.stdout) if result.stdout.strip() else None


class DriveRunTest(FilesTest):
    def machine(self, name, *options):
        machine = Machine(self.cloud, self.token, self.home / name, *options)
        self.addCleanup(machine.close)
        return machine.start()

    def test_a_file_comes_to_the_other_machine_and_to_webdav(self):
        one, other = self.machine("one"), self.machine("other")
        (one.directory / "d").mkdir()
        (one.directory / "d" / "a.txt").write_text("hello")
        one.tool("pin", "d/a.txt")
        self.assertEqual(self.dav.get("d/a.txt"), b"hello")
        other.tool("download", "d/a.txt")
        self.assertEqual((other.directory / "d" / "a.txt").read_text(), "hello")

        (other.directory / "d" / "a.txt").rename(other.directory / "b.txt")
        other.tool("pin", "b.txt")
        one.tool("download", "b.txt")
        self.assertEqual((one.directory / "b.txt").read_text(), "hello")
        self.assertFalse((one.directory / "d" / "a.txt").exists())

    def test_an_evicted_file_leaves_a_placeholder(self):
        one = self.machine("one")
        (one.directory / "a.txt").write_text("hello")
        one.tool("evict", "a.txt")
        self.assertEqual(sorted(os.listdir(one.directory)), [".a.txt.icloud", ".stratus"])
        one.tool("download", "a.txt")
        self.assertEqual(sorted(os.listdir(one.directory)), [".stratus", "a.txt"])
        self.assertEqual((one.directory / "a.txt").read_text(), "hello")

    def test_new_files_can_stay_placeholders(self):
        self.dav.put("a.txt", b"hello")
        one = self.machine("one", "--placeholders")
        # Each of these commands synchronizes first.
        one.tool("unpin", "a.txt")
        self.assertEqual(sorted(os.listdir(one.directory)), [".a.txt.icloud", ".stratus"])
        one.tool("download", "a.txt")
        self.assertEqual((one.directory / "a.txt").read_text(), "hello")

    def test_what_happens_while_no_agent_runs_is_found(self):
        one, other = self.machine("one"), self.machine("other")
        (one.directory / "a.txt").write_text("first")
        one.tool("pin", "a.txt")
        other.tool("download", "a.txt")
        self.assertEqual(one.stop(), 0)
        (one.directory / "a.txt").write_text("second")
        (one.directory / "b.txt").write_text("new")
        one.start()
        one.tool("pin", "b.txt")
        other.tool("download", "b.txt")
        self.assertEqual((other.directory / "a.txt").read_text(), "second")

    def test_an_agent_that_was_killed_leaves_nothing_in_the_way(self):
        one = self.machine("one")
        (one.directory / "a.txt").write_text("first")
        one.tool("pin", "a.txt")
        one.kill()
        refused = one.run("status")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("NO_AGENT", refused.stdout + refused.stderr)
        one.start()
        status = one.tool("status")
        self.assertEqual(status["directory"], str(one.directory.resolve()))
        self.assertEqual((one.directory / "a.txt").read_text(), "first")

    def test_one_process_synchronizes_a_container(self):
        one = self.machine("one")
        second = subprocess.run(
            [one.binary, "drive", "run"], env=one.environment, capture_output=True, text=True)
        self.assertNotEqual(second.returncode, 0)
        self.assertIn("another process synchronizes", second.stderr)


if __name__ == "__main__":
    unittest.main()
