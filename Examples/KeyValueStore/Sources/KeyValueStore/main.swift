import Foundation

// A terminal program for the key-value store: KeyValueStore <name of the device>
guard CommandLine.arguments.count == 2 else {
    show("usage: KeyValueStore <name of the device>")
    exit(64)
}
let values = DeviceValues(device: CommandLine.arguments[1])
values.observe()
show("set <text> | share <text> | remove | list | quit")
while let line = readLine(), values.perform(line) {}
