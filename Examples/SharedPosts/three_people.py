"""Runs the program in the windows of three people who share posts. Says what each shows, and when.

    three_people.py <program> <folder> <session of Jermaine> <session of Heather> <session of Mary>

Ends with a failure if a window does not show what it should.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from windows import Window

DEMO = "Sharing demo is so cool"
REFUSED = "this post can only be read"


class Person(Window):
    def __init__(self, name, folder, session):
        home = os.path.join(folder, name)
        os.makedirs(home)
        super().__init__(name, HOME=home, STRATUS_WEB_AUTH_TOKEN=session)
        self.folder = os.path.join(home, "posts")

    def show(self, line, moment=None):
        """Shows links in a form that fits into the columns."""
        super().show(re.sub(r"https?://\S*/share/(\S{6})\S*", r"…/share/\1…", line), moment)

    def share(self, title, permission, *people):
        """Writes a post and shares it. Returns the link, which the people would get by mail."""
        self.type(f"new {title}")
        self.expect(f"+ {title}")
        self.type(f"{permission} " + " ".join(f"{person.name}@example.org" for person in people))
        self.expect(f"~ 👥 {title}")
        return self.next()[1].removeprefix("link: ")

    def accept(self, link, title):
        self.type(f"accept {link}")
        self.expect(f"+ 👥 {title}")

    def refuse(self, command):
        self.type(command)
        self.expect(REFUSED)


def main(program, folder, *sessions):
    people = [Person(name, folder, session) for name, session in zip(("jermaine", "heather", "mary"), sessions)]
    jermaine, heather, mary = people
    Window.begin()
    for person in people:
        person.run(program, person.folder)
    try:
        # Everybody may write.
        link = jermaine.share(DEMO, "write", heather, mary)
        for person in (heather, mary):
            person.accept(link, DEMO)
        mary.type(f"open {DEMO}")
        mary.expect(DEMO)
        mary.expect("Jermaine: owner, read-write, accepted", "you: private participant, read-write, accepted")
        mary.type(f"title {DEMO}!")
        for person in people:
            person.expect(f"~ 👥 {DEMO}!")

        # The second post is for reading.
        link = heather.share("Look at this", "read", jermaine, mary)
        for person in (mary, jermaine):
            person.accept(link, "Look at this")
            person.type("open Look at this")
            person.expect("Look at this (view only)")
            person.expect("Heather: owner, read-write, accepted", "you: private participant, read-only, accepted")
            person.refuse("title Mine")
            person.refuse("delete")
        mary.type("list")
        mary.expect("👥 Look at this (view only)", f"👥 {DEMO}!")

        mary.type("leave")
        mary.expect("- 👥 Look at this")
        heather.type("delete")
        heather.expect("- 👥 Look at this")
        jermaine.expect("- 👥 Look at this")
    finally:
        for person in people:
            person.end()


main(*sys.argv[1:])
