"""Uses the list on two devices at once and says what each shows, and when.

    two_devices.py <program> <folder>

STRATUS_URL is the server; each device reaches it through a plug of its own. Ends with a failure if a device does not
show what it should.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from windows import Plug, Window


def main(program, folder):
    plugs, devices = {}, []
    for name in ("phone", "laptop"):
        # The program makes and removes the file when “unplug” and “plug” are typed.
        plugs[name] = Plug(os.path.join(folder, name + ".json.unplugged"))
        devices.append(Window(name, STRATUS_URL=plugs[name].url))
    phone, laptop = devices
    Window.begin()
    for device in devices:
        device.run(program, os.path.join(folder, device.name + ".json"))
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
        for plug in plugs.values():
            plug.wait_for_vain_attempts()

        # The first to be back finds nothing new; the second is shown the conflict.
        phone.type("plug")
        phone.expect("→ milk: 3 litres", "→ eggs: six")
        laptop.type("plug")
        both = "3 litres / none, we have oat drink"
        laptop.expect(
            "conflict: milk is “none, we have oat drink” here and “3 litres” there", f"resolved: milk: {both}")
        laptop.expect_in_any_order("← eggs: six", f"→ milk: {both}")
        phone.expect(f"← milk: {both}")
        for device in devices:
            device.type("list")
            device.expect("eggs: six", f"milk: {both}")
    finally:
        for device in devices:
            device.end()
        for plug in plugs.values():
            plug.end()
    print(f"from the key to the other window: {', '.join(f'{delay * 1000:.0f} ms' for delay in delays)}")


main(*sys.argv[1:])
