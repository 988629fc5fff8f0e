import StratusCloudModel
import Testing

@testable import StratusCloudService

/// Contents of a file that two devices wrote without knowing of each other.
@Suite struct FileConflictTests {
    private let cloud: FileCloud
    private let item: FileItem
    /// When the first content was changed.
    private let start: Int64 = 1_700_000_000_000

    init() async throws {
        cloud = try await FileCloud()
        item = try await cloud.put("first", at: ["a.txt"])
        _ = try await cloud.save(.file(.forceUpdate, item.id, nil, nil, ["modified": time(0)]))
    }

    private func time(_ minutes: Int64) -> InputValue {
        .scalar(.timestamp(Timestamp(milliseconds: start + minutes * 60_000)))
    }

    /// Saves a content as a device does that has version `base`.
    private func write(_ text: String, base: Int64?, minute: Int64, device: String = "laptop") async throws -> FileItem
    {
        var fields: [(name: String, field: FieldInput)] = [
            (FileFormat.content, FieldInput(.scalar(.asset(try await receipt(text))))),
            (FileFormat.modified, FieldInput(time(minute))), (FileFormat.device, FieldInput(.text(device))),
        ]
        if let base { fields.append((FileFormat.base, FieldInput(.integer(base)))) }
        let input = RecordInput(recordName: item.id, recordType: FileFormat.recordType, fields: fields)
        return try #require(FileItem(try await cloud.save(RecordOperation(.forceUpdate, input))))
    }

    /// An uploaded content.
    private func receipt(_ text: String) async throws -> Asset {
        let upload = try await cloud.service.beginFileUpload(
            to: .existing(item, ifTagged: nil), length: Int64(text.utf8.count), as: cloud.caller)
        let state = try await cloud.service.receiveAsset(
            upload.ticket, upload.part, sha256: nil, body: Pieces(Array(text.utf8)))
        guard case .complete(let asset) = state else { throw Unexpected(description: "the upload is not complete") }
        return asset
    }

    private func contents(_ item: FileItem, conflicts: Bool) async throws -> [String] {
        var texts: [String] = []
        for version in item.versions where version.isConflict == conflicts {
            let asset = try #require(AssetID(fileChecksum: version.content.fileChecksum))
            let address = try DatabaseAddress(.private, CloudService.filesZoneID, cloud.caller)
            let download = try await cloud.service.download(asset, from: address.partition)
            texts.append(String(decoding: try cloud.service.bytes(of: download), as: UTF8.self))
        }
        return texts
    }

    @Test(
        "the later change is current and the other one is in conflict, whichever arrives first",
        arguments: [true, false])
    func laterWins(laterFirst: Bool) async throws {
        let texts =
            laterFirst
            ? [("late", 2, "phone"), ("early", 1, "laptop")] : [("early", 1, "laptop"), ("late", 2, "phone")]
        for (text, minute, device) in texts {
            _ = try await write(text, base: 1, minute: Int64(minute), device: device)
        }
        let settled = try #require(try await cloud.item(item.id))
        #expect(try await cloud.content(settled) == "late")
        #expect(settled.modified == start + 2 * 60_000)
        #expect(try await contents(settled, conflicts: true) == ["early"])
        #expect(settled.versions.first { $0.isConflict }?.device == "laptop")
        #expect(try await contents(settled, conflicts: false) == ["first"])
        #expect(Set(settled.versions.map(\.number) + [settled.contentVersion]).count == 3)
    }

    @Test("a change of the current content, and one that does not say, is in no conflict")
    func noConflict() async throws {
        let second = try await write("second", base: 1, minute: 1)
        let third = try await write("third", base: second.contentVersion, minute: 0)
        let fourth = try await write("fourth", base: nil, minute: -5)
        #expect(try await cloud.content(fourth) == "fourth")
        #expect(third.contentVersion < fourth.contentVersion)
        #expect(!fourth.versions.contains { $0.isConflict })
        // The same content is no other one.
        let same = try await write("fourth", base: 1, minute: 9)
        #expect(same.contentVersion == fourth.contentVersion && !same.versions.contains { $0.isConflict })
    }

    @Test("contents in conflict do not expire and do not make room for former ones, until somebody resolves that")
    func lifetime() async throws {
        _ = try await write("early", base: 1, minute: 1)
        var now = try await write("late", base: 1, minute: 2)
        for number in 1...12 { now = try await write("\(number)", base: now.contentVersion, minute: Int64(2 + number)) }
        #expect(now.versions.count { !$0.isConflict } == FileLimits.versionsPerFile)
        #expect(try await contents(now, conflicts: true) == ["early"])
        cloud.advance(days: 31)
        try await cloud.service.purgeFiles()
        now = try #require(try await cloud.item(item.id))
        #expect(try await contents(now, conflicts: true) == ["early"] && now.versions.count == 1)
        let resolved = try await cloud.save(.file(.forceUpdate, item.id, nil, nil, ["conflicts": .null]))
        #expect(FileItem(resolved)?.versions.contains { $0.isConflict } == false)
        cloud.advance(days: 29)
        try await cloud.service.purgeFiles()
        let kept = try #require(try await cloud.item(item.id))
        #expect(try await contents(kept, conflicts: false) == ["early"], "it is a former content for 30 days")
        cloud.advance(days: 1)
        try await cloud.service.purgeFiles()
        #expect(try await cloud.item(item.id)?.versions.isEmpty == true)
    }

    @Test("a client resolves some conflicts, and makes none up")
    func resolving() async throws {
        for (minute, text) in ["a", "b", "c"].enumerated() {
            _ = try await write(text, base: 1, minute: Int64(minute + 1))
        }
        let item = try #require(try await cloud.item(item.id))
        #expect(try await contents(item, conflicts: true).sorted() == ["a", "b"])
        let numbers = item.versions.filter(\.isConflict).map(\.number)
        let list = InputValue.list([.integer(numbers[0]), .integer(1), .integer(99)])
        let saved = try await cloud.save(.file(.forceUpdate, item.id, nil, nil, ["conflicts": list]))
        let resolved = try #require(FileItem(saved))
        #expect(resolved.versions.filter(\.isConflict).map(\.number) == [numbers[0]])
        #expect(resolved.versions.count == item.versions.count)
    }

    @Test("a file has no more conflicts than its limit, and what was there stays")
    func limit() async throws {
        for number in 0...FileLimits.conflictsPerFile {
            _ = try await write("\(number)", base: 1, minute: Int64(number + 1))
        }
        let full = try #require(try await cloud.item(item.id))
        #expect(full.versions.count { $0.isConflict } == FileLimits.conflictsPerFile)
        await #expect(throws: CloudError.self) { try await write("more", base: 1, minute: 99) }
        #expect(try await cloud.item(item.id) == full)
    }

    @Test("a package has content and cannot be executed, and a folder has no device")
    func kinds() async throws {
        let package = try await cloud.save(.file(.create, "p", "a.rtfd", in: nil, .package))
        #expect(FileItem(package)?.kind == .package)
        let executable = try await cloud.refusal(
            .file(.create, "x", "x", in: nil, .package, ["executable": .integer(1)]))
        #expect(executable?.code == .badRequest)
        let folder = try await cloud.refusal(.file(.create, "x", "x", in: nil, .folder, ["base": .integer(1)]))
        #expect(folder?.code == .badRequest)
        let link = try await cloud.refusal(
            .file(.create, "x", "x", in: nil, .link, ["target": .text("y"), "device": .text("z")]))
        #expect(link?.code == .badRequest)
        let name = String(repeating: "x", count: FileLimits.deviceNameSize + 1)
        await #expect(throws: CloudError.self) { try await write("x", base: 1, minute: 1, device: name) }
        _ = try await write("x", base: 1, minute: 1, device: String(name.dropLast()))
    }
}
