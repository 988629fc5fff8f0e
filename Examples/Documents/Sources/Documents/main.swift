import UIKit

// A terminal program for the documents of a person. Finding the container may block.
let container = await Task.detached { FileManager.default.url(forUbiquityContainerIdentifier: nil) }.value
guard let container else {
    show("nobody is signed in")
    exit(1)
}
let terminal = Terminal(folder: container.appendingPathComponent("Documents"))
show(Terminal.usage)

/// What is typed. Reading it blocks, so it has a thread of its own.
let lines = AsyncStream<String> { continuation in
    Thread.detachNewThread {
        while let line = readLine(), line != "quit" { continuation.yield(line) }
        continuation.finish()
    }
}
for await line in lines { await terminal.perform(line) }
await terminal.close()
