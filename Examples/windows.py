"""Programs in windows, side by side: what is typed into each, what it shows, and when.

For the scripts of the examples, which print one column for each window.
"""

import os
import queue
import subprocess
import sys
import threading
import time

WIDTH = 46
PATIENCE = 60  # seconds; a program that shows nothing for so long never will
FOLDER = os.path.dirname(os.path.abspath(__file__))


class Window:
    """A program on a device."""

    start = 0.0
    names = []

    def __init__(self, name, **variables):
        """variables are the device's own. The programs have no directories of this process's session."""
        self.name, self.column = name, WIDTH * len(Window.names)
        shared = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        self.environment = shared | variables
        Window.names.append(name)

    @staticmethod
    def begin():
        """Prints the head of the columns. Times are counted from here on."""
        Window.start = time.monotonic()
        print(" " * 11 + "".join(f"{name:<{WIDTH}}" for name in Window.names).rstrip(), flush=True)

    def run(self, *command):
        self.process = subprocess.Popen(
            command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, args=(self.process.stdout, self.lines), daemon=True).start()

    @staticmethod
    def read(output, lines):
        for line in output:
            lines.put((time.monotonic(), line.rstrip("\n")))
        lines.put((time.monotonic(), None))

    def show(self, line, moment=None):
        seconds = (moment or time.monotonic()) - Window.start
        print(f"{seconds:7.3f} s  {' ' * self.column}{line}", flush=True)

    def type(self, line):
        """Says when it was typed."""
        moment = time.monotonic()
        self.show("$ " + line, moment)
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return moment

    def next(self):
        try:
            moment, line = self.lines.get(timeout=PATIENCE)
        except queue.Empty:
            sys.exit(f"{self.name} shows nothing more")
        if line is None:
            sys.exit(f"{self.name} has ended")
        self.show(line, moment)
        return moment, line

    def expect(self, *lines):
        """Waits until these lines are there, one after another; of a tuple, any. Says when the last was."""
        for line in lines:
            moment, found = self.next()
            if found not in (line if isinstance(line, tuple) else (line,)):
                sys.exit(f"{self.name} does not show “{line}”")
        return moment

    def expect_in_any_order(self, *lines):
        rest = set(lines)
        while rest:
            _, found = self.next()
            if found not in rest:
                sys.exit(f"{self.name} does not show one of {rest}")
            rest.remove(found)

    def kill(self):
        self.show("(killed)")
        self.process.kill()
        self.process.wait()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Plug:
    """What a device reaches the server through, until it is pulled out."""

    VAIN_ATTEMPTS = 3  # after which a device has noticed that the plug is out

    def __init__(self, file):
        """The plug is out while the file is there."""
        self.file = file
        port = os.environ["STRATUS_URL"].rstrip("/").rsplit(":", 1)[1]
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(FOLDER, "plug.py"), port, file], stdout=subprocess.PIPE, text=True)
        self.url = "http://127.0.0.1:" + self.process.stdout.readline().strip()

    def pull_out(self):
        open(self.file, "w").close()

    def put_in(self):
        os.remove(self.file)

    def wait_for_vain_attempts(self):
        for _ in range(self.VAIN_ATTEMPTS):
            self.process.stdout.readline()

    def end(self):
        self.process.terminate()
        self.process.wait()
