"""Runs the program in three windows: two of Ada, who writes the catalogue, and one of Bob, who reads it. Says what each
shows, and when.

    three_windows.py <program> <folder> <session of Ada> <session of Bob>

Ends with a failure if a window does not show what it should.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from windows import Window


def main(program, folder, *sessions):
    windows = []
    for name, session in zip(("ada", "bob", "ada's tablet"), sessions + sessions[:1]):
        os.makedirs(os.path.join(folder, name))
        windows.append(Window(name, HOME=os.path.join(folder, name), STRATUS_WEB_AUTH_TOKEN=session))
    ada, bob, tablet = windows
    Window.begin()
    for window in windows:
        window.run(program, os.path.join(folder, window.name, "catalogue.sqlite"), "window")
    try:
        ada.type("add Lamp")
        for window in windows:
            window.expect("+ Lamp 0")
        ada.type("price Lamp 12")
        for window in windows:
            window.expect("~ Lamp 12")

        # Memos are private: Bob's next lines are about other things.
        ada.type("memo Lamp too bright")
        for window in (ada, tablet):
            window.expect("memo on Lamp: too bright")

        # The rights are known without asking the server, which takes the change back.
        bob.type("price Lamp 1")
        bob.expect("Lamp is somebody else's", "~ Lamp 1")
        bob.expect_in_any_order("~ Lamp 12", "! the server forbids the change")
        bob.type("add Chair")
        for window in windows:
            window.expect("+ Chair 0")

        ada.type("delete Lamp")
        for window in windows:
            window.expect("- Lamp")
        for window in windows:
            window.type("show")
            window.expect("  Chair 0")
    finally:
        for window in windows:
            window.end()


main(*sys.argv[1:])
