import Foundation
import PostSharing

// Posts that people share with each other, in a terminal: SharedPosts <folder>
guard CommandLine.arguments.count == 2 else {
    printLine("usage: SharedPosts <folder>")
    exit(64)
}
do {
    let folder = URL(fileURLWithPath: CommandLine.arguments[1])
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let window = try Window(CoreDataStack(folder))
    let lines = AsyncStream { continuation in
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
    }
    for await line in lines { guard try await window.run(line) else { break } }
} catch {
    printLine("failed: \(error.localizedDescription)")
    exit(1)
}
