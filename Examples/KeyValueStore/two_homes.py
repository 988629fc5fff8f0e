"""Runs the program on two devices at once, each with a home of its own, and says what each shows, and when.

    two_homes.py <program> <folder>

Ends with a failure if a device does not show what it should.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from windows import Window

USAGE = "set <text> | share <text> | remove | list | quit"


def main(program, folder):
    devices = []
    for name in ("phone", "laptop"):
        home = os.path.join(folder, name)
        os.makedirs(home)
        devices.append(Window(name, HOME=home))
    phone, laptop = devices
    Window.begin()

    def open_window(device):
        device.run(program, device.name)
        device.expect(USAGE)

    for device in devices:
        open_window(device)
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
        for device in devices:
            device.type("list")
            device.expect("Shared: green", "phone: Hello from the phone")

        # What a program has written is not lost with it.
        phone.type("share blue")
        phone.type("list")
        phone.expect("Shared: blue", "phone: Hello from the phone")
        phone.kill()
        open_window(phone)
        laptop.expect("← from another device: Shared is blue")
    finally:
        for device in devices:
            device.end()


main(*sys.argv[1:])
