"""Runs the program in two windows: of Ada, who writes the catalogue, and of Bob, who reads it. Says what each shows, and
when.

    two_windows.py <program> <folder> <session of Ada> <session of Bob>

Ends with a failure if a window does not show what it should.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from windows import Window


def main(program, folder, *sessions):
    windows = []
    for name, session in zip(("ada", "bob"), sessions):
        os.makedirs(os.path.join(folder, name))
        windows.append(Window(name, HOME=os.path.join(folder, name), STRATUS_WEB_AUTH_TOKEN=session))
    ada, bob = windows
    Window.begin()
    for window in windows:
        window.run(program, os.path.join(folder, window.name, "catalogue.sqlite"), "window")
    try:
        ada.type("add Lamp")
        ada.expect("+ Lamp 0")
        bob.expect("+ Lamp 0")
        ada.type("price Lamp 12")
        ada.expect("~ Lamp 12")
        bob.expect("~ Lamp 12")

        # The rights are known without asking the server, which takes the change back.
        bob.type("price Lamp 1")
        bob.expect("Lamp is somebody else's", "~ Lamp 1")
        bob.expect_in_any_order("~ Lamp 12", "! the server forbids the change")
        bob.type("add Chair")
        bob.expect("+ Chair 0")
        ada.expect("+ Chair 0")

        ada.type("delete Lamp")
        ada.expect("- Lamp")
        bob.expect("- Lamp")
        for window in windows:
            window.type("show")
            window.expect("  Chair 0")
    finally:
        for window in windows:
            window.end()


main(*sys.argv[1:])
