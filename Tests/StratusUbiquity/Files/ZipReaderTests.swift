import Foundation
import StratusCZlib
import StratusSeeds
import StratusTestSupport
import Testing

@testable import StratusUbiquity

/// Archives of packages, which may come from anybody.
@Suite struct ZipReaderTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var archive: String { directory.path + "/archive.zip" }
    private var target: String { directory.path + "/unpacked" }

    private func unpack(_ bytes: [UInt8], limits: ZipReader.Limits = ZipReader.Limits()) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: archive))
        try? FileManager.default.removeItem(atPath: target)
        try ZipReader(path: archive, limits: limits).unpack(to: target)
    }

    private func names(in path: String) -> [String] {
        (FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []).sorted()
    }

    @Test("a package comes back as it was packed")
    func roundTrip() throws {
        let package = URL(fileURLWithPath: directory.path + "/Notes.rtfd")
        let inner = package.appendingPathComponent("Größe/empty")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        let large = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try large.write(to: package.appendingPathComponent("large"))
        try Data("#!/bin/sh".utf8).write(to: package.appendingPathComponent("Größe/run"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: package.path + "/Größe/run")
        try FileManager.default.createSymbolicLink(
            atPath: package.path + "/link", withDestinationPath: "../outside")
        try ZipArchive.write(directory: package, to: URL(fileURLWithPath: archive))
        try ZipReader(path: archive).unpack(to: target)
        #expect(names(in: target) == names(in: package.path))
        #expect(FileManager.default.contents(atPath: target + "/large") == large)
        #expect(FileManager.default.isExecutableFile(atPath: target + "/Größe/run"))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: target + "/link") == "../outside")
    }

    @Test(
        "a name that would lead out of the package is refused",
        arguments: ["p/../x", "p/./x", "p//x", "/p/x", "../x", "p/a/../../../x", "p/\u{0}x", "q/x", "p", ""])
    func names(_ name: String) throws {
        #expect(throws: ZipReader.Failure.self) { try unpack(Self.zip([Item("p/"), Item(name, "evil")])) }
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/x"))
    }

    @Test("nothing is written through a link, or over another entry")
    func links() throws {
        let link = Item("p/link", directory.path, mode: 0o120777)
        #expect(throws: DriveFailure.self) { try unpack(Self.zip([Item("p/"), link, Item("p/link/x", "evil")])) }
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/x"))
        #expect(throws: DriveFailure.self) { try unpack(Self.zip([Item("p/"), link, Item("p/link", "evil")])) }
        #expect(throws: DriveFailure.self) { try unpack(Self.zip([Item("p/"), Item("p/a", "1"), Item("p/a", "2")])) }
    }

    @Test("an archive has as many bytes, entries and folders as the limits say, and no more")
    func limits() throws {
        let items = [Item("p/"), Item("p/d/"), Item("p/d/a", "1234")]
        var limits = ZipReader.Limits(bytes: 4, entries: 3, depth: 2)
        try unpack(Self.zip(items), limits: limits)
        limits.bytes = 3
        #expect(throws: ZipReader.Failure.self) { try unpack(Self.zip(items), limits: limits) }
        limits = ZipReader.Limits(bytes: 4, entries: 2, depth: 2)
        #expect(throws: ZipReader.Failure.self) { try unpack(Self.zip(items), limits: limits) }
        limits = ZipReader.Limits(bytes: 4, entries: 3, depth: 1)
        #expect(throws: ZipReader.Failure.self) { try unpack(Self.zip(items), limits: limits) }
    }

    @Test("contents that are not what the archive says are refused")
    func contents() throws {
        var item = Item("p/a", "1234")
        item.size = 3
        #expect(throws: ZipReader.Failure.self) { try unpack(Self.zip([Item("p/"), item])) }
        item = Item("p/a", "1234")
        item.checksum = 1
        #expect(throws: ZipReader.Failure.self) { try unpack(Self.zip([Item("p/"), item])) }
        #expect(throws: ZipReader.Failure.self) {
            try unpack(Self.zip([Item("p/"), Item("p/pipe", "", mode: 0o010644)]))
        }
    }

    @Test("damaged archives are refused or unpacked inside the package, and never end the process")
    func damage() throws {
        let seed = Seed.given ?? UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        let whole = Self.zip([
            Item("p/"), Item("p/d/"), Item("p/d/a", "hello"), Item("p/l", "d/a", mode: 0o120777),
        ])
        for round in 0..<2_000 {
            var bytes = whole
            if round < whole.count { bytes.removeLast(round) }
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do { try unpack(bytes) } catch is ZipReader.Failure {} catch is DriveFailure {}
            let around = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(Set(around).isSubset(of: ["archive.zip", "unpacked"]), "seed \(seed), round \(round)")
        }
    }

    // MARK: - Archives that no program makes

    private struct Item {
        var name: String
        var content: [UInt8]
        var mode: UInt32
        var size: Int
        var checksum: UInt32

        init(_ name: String, _ content: String = "", mode: UInt32? = nil) {
            self.name = name
            self.content = Array(content.utf8)
            self.mode = mode ?? (name.hasSuffix("/") ? 0o040755 : 0o100644)
            size = self.content.count
            checksum = UInt32(crc32(0, self.content, UInt32(self.content.count)))
        }

        var description: [UInt8] {
            bytes(UInt16(20)) + bytes(UInt16(1 << 11)) + bytes(UInt16(0)) + bytes(UInt32(0)) + bytes(checksum)
                + bytes(UInt32(content.count)) + bytes(UInt32(size)) + bytes(UInt16(name.utf8.count)) + bytes(UInt16(0))
        }
    }

    private static func zip(_ items: [Item]) -> [UInt8] {
        var file: [UInt8] = []
        var index: [UInt8] = []
        for item in items {
            let offset = file.count
            file += bytes(UInt32(0x0403_4B50)) + item.description + Array(item.name.utf8) + item.content
            index += bytes(UInt32(0x0201_4B50)) + bytes(UInt16(3 << 8 | 20)) + item.description + bytes(UInt16(0))
            index += bytes(UInt32(0)) + bytes(item.mode << 16) + bytes(UInt32(offset)) + Array(item.name.utf8)
        }
        let end =
            bytes(UInt32(0x0605_4B50)) + bytes(UInt32(0)) + bytes(UInt16(items.count)) + bytes(UInt16(items.count))
        return file + index + end + bytes(UInt32(index.count)) + bytes(UInt32(file.count)) + bytes(UInt16(0))
    }
}

private func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
}
