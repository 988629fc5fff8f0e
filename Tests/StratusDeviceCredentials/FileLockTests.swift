import Foundation
import StratusTestSupport
import StratusWaiting
import Testing

@testable import StratusDeviceCredentials

@Suite struct FileLockTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory(inMemory: true)
        path = directory.path + "/lock"
    }

    /// The number of descriptors of this process that stand for the file.
    private func openings() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }.count
    }

    @Test func onlyAFileThatNobodyHoldsIsDeleted() throws {
        FileLock.removeFile(path)
        var lock = try FileLock.trying(path)
        FileLock.removeFile(path)
        #expect(lock != nil && FileManager.default.fileExists(atPath: path))
        #expect(try FileLock.trying(path) == nil)
        lock = nil
        FileLock.removeFile(path)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func whoWaitedForAFileThatWasDeletedHoldsTheOneThatOthersSee() async throws {
        var held = try FileLock.trying(path)
        #expect(held != nil)
        let waiter = Task.detached { [path] in
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: Result { try FileLock.waiting(path) }) }
            }
        }
        try await wait(for: "the waiter") { try self.openings() == 2 }
        #expect(unlink(path) == 0)
        held = nil
        let taken = try await waiter.value.get()
        #expect(try FileLock.trying(path) == nil)
        withExtendedLifetime(taken) {}
    }
}
