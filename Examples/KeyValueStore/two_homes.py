"""Runs the program on two devices at once, each with a home of its own, and says what each shows, and when.

    two_homes.py <program> <folder>

Ends with a failure if a device does not show what it should.
"""

import os
import queue
import subprocess
import sys
import threading
import time

WIDTH = 48
PATIENCE = 60  # seconds; a device that shows nothing for so long never will
USAGE = "set <text> | share <text> | remove | list | quit"


class Device:
    """A program in a window."""

    def __init__(self, program, folder, name, column, start):
        self.program, self.name, self.column, self.start = program, name, column, start
        self.home = os.path.join(folder, name)
        os.makedirs(self.home, exist_ok=True)
        self.open()

    def open(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        self.process = subprocess.Popen(
            [self.program, self.name], env=environment | {"HOME": self.home}, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, args=(self.process.stdout, self.lines), daemon=True).start()
        self.expect(USAGE)

    @staticmethod
    def read(output, lines):
        for line in output:
            lines.put(line.rstrip("\n"))
        lines.put(None)

    def show(self, line):
        print(f"{time.monotonic() - self.start:7.3f} s  {' ' * self.column}{line}", flush=True)

    def type(self, line):
        self.show("$ " + line)
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def expect(self, *lines):
        """Waits until these lines are there, one after another; of a tuple, any."""
        for line in lines:
            found = self.lines.get(timeout=PATIENCE)
            if found is None:
                sys.exit(f"{self.name} has ended")
            self.show(found)
            if found not in (line if isinstance(line, tuple) else (line,)):
                sys.exit(f"{self.name} does not show “{line}”")

    def kill(self):
        self.show("(killed)")
        self.process.kill()
        self.process.wait()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def main(program, folder):
    start = time.monotonic()
    print(f"{'':9}  {'phone':<{WIDTH}}laptop")
    phone = Device(program, folder, "phone", 0, start)
    laptop = Device(program, folder, "laptop", WIDTH, start)
    try:
        phone.type("set Hello from the phone")
        # The laptop may still be at its first download.
        laptop.expect(tuple(f"← from {place}: phone is Hello from the phone"
                            for place in ("another device", "the first download")))
        laptop.type("set Hello from the laptop")
        phone.expect("← from another device: laptop is Hello from the laptop")
        phone.type("share red")
        laptop.expect("← from another device: Shared is red")
        laptop.type("share green")
        phone.expect("← from another device: Shared is green")
        laptop.type("remove")
        phone.expect("← from another device: laptop is removed")
        for device in (phone, laptop):
            device.type("list")
            device.expect("Shared: green", "phone: Hello from the phone")

        # What a program has written is not lost with it.
        phone.type("share blue")
        phone.type("list")
        phone.expect("Shared: blue", "phone: Hello from the phone")
        phone.kill()
        phone.open()
        laptop.expect("← from another device: Shared is blue")
    finally:
        phone.end()
        laptop.end()


main(*sys.argv[1:])
