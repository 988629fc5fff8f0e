"""Uses the list on two devices at once and says what each shows, and when.

    two_devices.py <program> <folder>

STRATUS_URL is the server; each device reaches it through a plug of its own. Ends with a failure if a device does not
show what it should.
"""

import os
import queue
import subprocess
import sys
import threading
import time

WIDTH = 46
PATIENCE = 60  # seconds; a device that shows nothing for so long never will
VAIN_ATTEMPTS = 3  # to reach the cloud without a plug
FOLDER = os.path.dirname(os.path.abspath(__file__))


class Device:
    """A program in a window, with a plug before it."""

    def __init__(self, program, folder, name, column, start):
        self.name, self.column, self.start = name, column, start
        path = os.path.join(folder, name + ".json")
        port = os.environ["STRATUS_URL"].rstrip("/").rsplit(":", 1)[1]
        self.plug = subprocess.Popen(
            [sys.executable, os.path.join(FOLDER, "plug.py"), port, path + ".unplugged"],
            stdout=subprocess.PIPE, text=True)
        environment = os.environ | {"STRATUS_URL": "http://127.0.0.1:" + self.plug.stdout.readline().strip()}
        self.process = subprocess.Popen(
            [program, path], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put((time.monotonic(), line.rstrip("\n")))
        self.lines.put((time.monotonic(), None))

    def show(self, moment, line):
        print(f"{moment - self.start:7.3f} s  {' ' * self.column}{line}", flush=True)

    def type(self, line):
        moment = time.monotonic()
        self.show(moment, "$ " + line)
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return moment

    def expect(self, *lines):
        """Waits until these lines are there, one after another; says when the last was."""
        for line in lines:
            moment, found = self.lines.get(timeout=PATIENCE)
            if found is None:
                sys.exit(f"{self.name} has ended")
            self.show(moment, found)
            if found != line:
                sys.exit(f"{self.name} does not show “{line}”")
        return moment

    def expect_in_any_order(self, *lines):
        rest = set(lines)
        while rest:
            moment, found = self.lines.get(timeout=PATIENCE)
            self.show(moment, found)
            if found not in rest:
                sys.exit(f"{self.name} does not show one of {rest}")
            rest.remove(found)

    def try_in_vain(self):
        """Waits until the device has noticed that the plug is out."""
        for _ in range(VAIN_ATTEMPTS):
            self.plug.stdout.readline()

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.plug.terminate()
        self.plug.wait()


def main(program, folder):
    start = time.monotonic()
    print(f"{'':9}  {'phone':<{WIDTH}}laptop")
    phone = Device(program, folder, "phone", 0, start)
    laptop = Device(program, folder, "laptop", WIDTH, start)
    usage = "put <item> <how much> | done <item> | list | unplug | plug | quit"
    delays = []
    try:
        phone.expect(usage)
        laptop.expect(usage)

        def passes(sender, receiver, command, text):
            typed = sender.type(command)
            sender.expect("→ " + text)
            delays.append(receiver.expect("← " + text) - typed)

        passes(phone, laptop, "put milk 1 litre", "milk: 1 litre")
        passes(laptop, phone, "put bread a small one", "bread: a small one")
        passes(phone, laptop, "put milk 2 litres", "milk: 2 litres")
        passes(laptop, phone, "done bread", "bread is done")

        # Both without a network: each writes what the other does not know.
        phone.type("unplug")
        laptop.type("unplug")
        phone.type("put milk 3 litres")
        phone.type("put eggs six")
        laptop.type("put milk none, we have oat drink")
        phone.type("list")
        phone.expect("eggs: six", "milk: 3 litres")
        laptop.type("list")
        laptop.expect("milk: none, we have oat drink")
        phone.try_in_vain()
        laptop.try_in_vain()

        # The first to be back finds nothing new; the second is shown the conflict.
        phone.type("plug")
        phone.expect("→ milk: 3 litres", "→ eggs: six")
        laptop.type("plug")
        both = "3 litres / none, we have oat drink"
        laptop.expect(
            "conflict: milk is “none, we have oat drink” here and “3 litres” there", f"resolved: milk: {both}")
        laptop.expect_in_any_order("← eggs: six", f"→ milk: {both}")
        phone.expect(f"← milk: {both}")
        for device in (phone, laptop):
            device.type("list")
            device.expect("eggs: six", f"milk: {both}")
    finally:
        phone.end()
        laptop.end()
    print(f"from the key to the other window: {', '.join(f'{delay * 1000:.0f} ms' for delay in delays)}")
    return delays


main(*sys.argv[1:])
