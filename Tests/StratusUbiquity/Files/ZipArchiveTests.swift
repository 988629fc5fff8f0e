import Foundation
import StratusTestSupport
import Testing

@testable import StratusUbiquity

@Suite struct ZipArchiveTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func folder() throws -> URL {
        let folder = try directory.file("d")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        for name in ["a", "b"] { try Data(repeating: 7, count: 500).write(to: folder.appendingPathComponent(name)) }
        return folder
    }

    private func write(_ limits: ZipArchive.Limits) throws -> Int {
        let url = try directory.file("d.zip")
        try ZipArchive.write(directory: try folder(), to: url, limits: limits)
        return try Data(contentsOf: url).count
    }

    private func isRefused(_ limits: ZipArchive.Limits) -> Bool {
        do {
            _ = try write(limits)
            return false
        } catch { return (error as? CocoaError)?.code == .fileWriteOutOfSpace }
    }

    /// The largest numbers of their fields mean something else.
    @Test func theLimitsAreThoseOfTheFormat() {
        #expect(ZipArchive.Limits().entries == 65_534)
        #expect(ZipArchive.Limits().bytes == 4_294_967_294)
    }

    @Test func entriesAreLimited() throws {
        #expect(try write(ZipArchive.Limits(entries: 3)) > 0)
    }

    @Test func moreEntriesAreRefused() throws { #expect(isRefused(ZipArchive.Limits(entries: 2))) }

    @Test func bytesOfAFileAreLimited() throws { #expect(try write(ZipArchive.Limits(bytes: 500)) > 0) }

    @Test func largerFilesAreRefused() throws { #expect(isRefused(ZipArchive.Limits(bytes: 499))) }
}
