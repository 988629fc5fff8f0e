import Foundation

// A program that uses the key-value store, for tests that need a process of their own. It imports Foundation alone.
//
//     StratusKeyValueClient watch              prints each notification: the reason, and keys with their values
//     StratusKeyValueClient set KEY TEXT       prints what synchronize() says, and ends
//     StratusKeyValueClient get KEY        prints the text that the store has before anything is fetched, or -
//     StratusKeyValueClient set-and-die KEY TEXT    likewise, but is killed before anything is sent

/// Writes a line, at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let store = NSUbiquitousKeyValueStore.default
let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.count) {
case ("watch", 1):
    _ = NotificationCenter.default.addObserver(
        forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification, object: store, queue: nil
    ) { notification in
        let reason = notification.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int ?? -1
        for key in notification.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String] ?? [] {
            say("\(reason) \(key)=\(NSUbiquitousKeyValueStore.default.string(forKey: key) ?? "-")")
        }
    }
    say("watching")
    dispatchMain()
case ("set", 3), ("set-and-die", 3):
    let words = Array(arguments)
    store.set(words[2], forKey: words[1])
    say("\(store.synchronize())")
    if words[0] == "set-and-die" { kill(getpid(), SIGKILL) }
case ("get", 2):
    say(store.string(forKey: Array(arguments)[1]) ?? "-")
default: exit(64)
}
