"""Uses documents on two devices at once and says what each shows, and when.

    two_devices.py <program> <stratus> <folder>

Each device has a home with an agent, `stratus drive run`, and reaches the server at STRATUS_URL through a plug. Ends
with a failure if a device does not show what it should.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from windows import Plug, Window

USAGE = ("new <name> | open <name> | write <text> | save | versions | keep <number> | rename <name> | delete | close"
         " | list | quit")


class Device(Window):
    """A home with an agent that synchronizes the container of its program."""

    def __init__(self, name, home, stratus):
        os.makedirs(home)
        self.stratus = stratus
        self.plug = Plug(os.path.join(home, "unplugged"))
        super().__init__(name, HOME=home, STRATUS_URL=self.plug.url)
        self.log = open(os.path.join(home, "agent.log"), "w")
        self.agent = subprocess.Popen(
            [stratus, "drive", "run"], env=self.environment, stdout=subprocess.PIPE, stderr=self.log, text=True)
        if not self.agent.stdout.readline().startswith("synchronizing "):
            sys.exit(f"the agent of {name} does not start: {open(self.log.name).read()}")

    def synchronize(self):
        """Returns when the folder of the documents is the same here and on the server."""
        subprocess.run([self.stratus, "drive", "download", "Documents"], env=self.environment, check=True,
                       stdout=subprocess.DEVNULL)

    def pull_out(self):
        self.show("(unplugged)")
        self.plug.pull_out()

    def put_in(self):
        self.show("(plugged in)")
        self.plug.put_in()

    def save(self, text):
        self.type(f"write {text}")
        self.type("save")
        self.expect("it is saved")

    def end(self):
        super().end()
        self.agent.terminate()
        self.agent.wait()
        self.log.close()
        self.plug.end()


def edit_together(phone, laptop):
    phone.type("new Plan")
    for device in (phone, laptop):
        device.expect("documents: Plan")
    laptop.type("open Plan")
    laptop.expect("Plan: ")
    for sender, receiver, text in ((phone, laptop, "Buy a boat"), (laptop, phone, "Buy a boat and sail")):
        sender.save(text)
        receiver.expect(f"← Plan: {text}")


def edit_apart(phone, laptop):
    """Both without a network: each writes what the other does not know."""
    for device, text in ((phone, "Sail to Bergen"), (laptop, "Sail to Oslo")):
        device.pull_out()
        device.save(text)
        # So the texts differ in time.
        device.plug.wait_for_vain_attempts()

    # The later text is the current one on both devices, and the other one stays until a person has chosen.
    for device in (phone, laptop):
        device.put_in()
        # An agent that was offline tries again by itself, but after a while.
        device.synchronize()
    phone.synchronize()
    phone.expect_in_any_order("← Plan: Sail to Oslo", "Plan is in conflict", "documents: Plan (in conflict)")
    laptop.expect_in_any_order("Plan is in conflict", "documents: Plan (in conflict)")
    for device in (phone, laptop):
        device.type("versions")
        device.expect("1: Sail to Oslo", "2: Sail to Bergen")
    laptop.type("keep 2")
    for device in (laptop, phone):
        device.expect_in_any_order("← Plan: Sail to Bergen", "Plan is not in conflict any more", "documents: Plan")


def rename_and_delete(phone, laptop):
    phone.type("rename Trip")
    for device in (phone, laptop):
        device.expect("documents: Trip")
    # The document that is open on the laptop has followed.
    laptop.save("Sail to Bergen in June")
    phone.expect("← Trip: Sail to Bergen in June")
    phone.type("delete")
    for device in (phone, laptop):
        device.expect_in_any_order("Trip is closed", "documents: none")


def main(program, stratus, folder):
    phone, laptop = (
        Device(name, os.path.join(folder, name), stratus) for name in ("phone", "laptop"))
    Window.begin()
    for device in (phone, laptop):
        device.run(program)
    try:
        for device in (phone, laptop):
            device.expect(USAGE, "documents: none")
            device.synchronize()
        edit_together(phone, laptop)
        edit_apart(phone, laptop)
        rename_and_delete(phone, laptop)
    finally:
        for device in (phone, laptop):
            device.end()


main(*sys.argv[1:])
