import Foundation
import StratusUbiquity

// An app that uses the files of its container, for tests that need a process of their own.
//
//     StratusDriveClient           prints the container's directory, and runs until it is killed
//     StratusDriveClient PATH      the same, and then asks for the download of a file and prints what comes of it

/// Writes a line, at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

guard let container = FileManager.default.url(forUbiquityContainerIdentifier: nil) else {
    say("nobody is signed in")
    exit(1)
}
say(container.path)
for path in CommandLine.arguments.dropFirst() {
    do {
        try FileManager.default.startDownloadingUbiquitousItem(at: container.appendingPathComponent(path))
        say("asked")
    } catch {
        say("error \((error as NSError).code)")
    }
}
dispatchMain()
