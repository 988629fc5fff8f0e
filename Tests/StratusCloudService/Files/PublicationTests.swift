import StratusCloudModel
import Testing

@testable import StratusCloudService

/// Links to snapshots of files.
@Suite struct PublicationTests {
    @Test("a link leads to the content at the time, whatever becomes of the file", arguments: Engine.allCases)
    func snapshot(engine: Engine) async throws {
        let cloud = try await FileCloud(engine)
        let item = try await cloud.put("first", at: ["a.txt"])
        let published = try await cloud.service.publishFile(named: item.id, as: cloud.caller)
        #expect(published.name == "a.txt" && published.size == 5 && published.file == item.id)
        #expect(published.expires == published.created + FileLimits.publicationLifetime)
        _ = try await cloud.put("second", at: ["a.txt"])
        #expect(try await cloud.opened(published) == "first")
        _ = try await cloud.service.deleteFile(item, as: cloud.caller)
        try await cloud.service.deleteFilePermanently(named: item.id, as: cloud.caller)
        #expect(try await cloud.opened(published) == "first")
        #expect(try await cloud.service.checkConsistency(repairing: false).problems == 0)
        let listed = try await cloud.service.publishedFiles(as: cloud.caller)
        #expect(listed.map(\.id) == [published.id] && listed[0].token == nil)
        #expect(try await cloud.service.fileRoom(as: cloud.caller).used == 5)
        try await cloud.service.unpublishFile(id: published.id, as: cloud.caller)
        #expect(try await cloud.opened(published) == nil)
        #expect(try await cloud.service.publishedFiles(as: cloud.caller).isEmpty)
        #expect(try await cloud.service.fileRoom(as: cloud.caller).used == 0)
        #expect(
            await refusal { try await cloud.service.unpublishFile(id: published.id, as: cloud.caller) }?.code
                == .notFound)
    }

    @Test("a publication ends at its time, and is then purged")
    func expiry() async throws {
        let cloud = try await FileCloud()
        let item = try await cloud.put("x", at: ["a"])
        let published = try await cloud.service.publishFile(named: item.id, lifetime: 60, as: cloud.caller)
        cloud.cloud.clock.withLock { $0 += 59_999 }
        #expect(try await cloud.opened(published) == "x")
        cloud.cloud.clock.withLock { $0 += 1 }
        #expect(try await cloud.opened(published) == nil)
        #expect(try await cloud.service.publishedFiles(as: cloud.caller).isEmpty)
        #expect(try await cloud.service.fileRoom(as: cloud.caller).used == 2)
        try await cloud.service.purgeFiles()
        #expect(try await cloud.service.fileRoom(as: cloud.caller).used == 1)
        #expect(try await cloud.cloud.lookup([published.id], zone: PublicationFormat.zoneName)[0].saved == nil)
    }

    @Test("an empty file is published, too")
    func empty() async throws {
        let cloud = try await FileCloud()
        let item = try await cloud.service.createEmptyFile(FileChanges(name: "e", folder: .root), as: cloud.caller)
        let published = try await cloud.service.publishFile(named: item.id, as: cloud.caller)
        let token = try #require(published.token)
        let opened = try #require(try await cloud.service.openPublication(token))
        #expect(opened.download == nil && opened.file.size == 0)
    }

    @Test(
        "lifetimes have bounds",
        arguments: [
            (59, false), (60, true), (7_776_000, true), (7_776_001, false), (0, false), (-1, false),
            (.max, false), (.min, false),
        ] as [(Int64, Bool)])
    func lifetimes(seconds: Int64, isPossible: Bool) async throws {
        let cloud = try await FileCloud()
        let item = try await cloud.put("x", at: ["a"])
        let error = await refusal {
            try await cloud.service.publishFile(named: item.id, lifetime: seconds, as: cloud.caller)
        }
        #expect(isPossible ? error == nil : error?.code == .badRequest)
    }

    @Test("only one's own files are published, and not those in Recently Deleted")
    func refusals() async throws {
        let cloud = try await FileCloud(configuration: ServiceConfiguration(quotas: Quotas(privateAssets: 10)))
        func code(_ name: String, as caller: Caller) async -> CloudError.Code? {
            await refusal { try await cloud.service.publishFile(named: name, as: caller) }?.code
        }
        let folder = try await cloud.service.createFolder(FileChanges(name: "d", folder: .root), as: cloud.caller)
        let link = try await cloud.service.createLink(
            FileChanges(name: "l", folder: .root), to: "/etc/passwd", as: cloud.caller)
        #expect(await code(folder.id, as: cloud.caller) == .badRequest)
        #expect(await code(link.id, as: cloud.caller) == .badRequest)
        #expect(await code("none", as: cloud.caller) == .notFound)
        let item = try await cloud.put("123456", at: ["a"])
        #expect(await code(item.id, as: cloud.cloud.user("b")) == .notFound)
        #expect(await code(item.id, as: cloud.cloud.anonymous) == .authenticationRequired)
        #expect(await code(item.id, as: cloud.caller) == .quotaExceeded)
        _ = try await cloud.service.deleteFile(item, as: cloud.caller)
        #expect(await code(item.id, as: cloud.caller) == .badRequest)
        #expect(try await cloud.service.publishedFiles(as: cloud.caller).isEmpty)
    }

    @Test("a link is neither guessed nor made from what the account's records say")
    func forged() async throws {
        let cloud = try await FileCloud()
        let item = try await cloud.put("x", at: ["a"])
        let published = try await cloud.service.publishFile(named: item.id, as: cloud.caller)
        let token = try #require(published.token)
        for position in stride(from: 0, to: token.utf8.count, by: 7) {
            var letters = Array(token.utf8)
            letters[position] = letters[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(try await cloud.service.openPublication(String(decoding: letters, as: UTF8.self)) == nil)
        }
        for text in ["", "A", published.id, String(token.dropLast(4)), String(repeating: "A", count: 100_000)] {
            #expect(try await cloud.service.openPublication(text) == nil)
        }
        // Another secret for the same record: what a token of a deleted record would be.
        let other = PublicationToken(
            published.id, of: cloud.caller.authorRecordName, in: cloud.caller.context, cloud.service.environment.random)
        let text = other.text(cloud.service.seals, cloud.service.environment.random)
        #expect(try await cloud.service.openPublication(text) == nil)
        let record = try await cloud.cloud.lookup([published.id], zone: PublicationFormat.zoneName)[0].saved
        let stored = String(describing: try #require(record))
        #expect(!stored.contains(token))
        #expect(
            try await cloud.cloud.lookup(
                [published.id], zone: PublicationFormat.zoneName, as: cloud.cloud.user("b"))[0].saved == nil)
    }

    @Test("clients end publications, but change none")
    func records() async throws {
        let cloud = try await FileCloud()
        let item = try await cloud.put("x", at: ["a"])
        let published = try await cloud.service.publishFile(named: item.id, as: cloud.caller)
        func modify(_ kind: RecordOperation.Kind, _ name: String, _ fields: [(String, InputValue)]) async throws
            -> RecordResult?
        {
            let input = RecordInput(
                recordName: name, recordType: PublicationFormat.recordType,
                fields: fields.map { (name: $0.0, field: FieldInput($0.1)) })
            return try await cloud.cloud.modify([RecordOperation(kind, input)], zone: PublicationFormat.zoneName).first
        }
        let later = InputValue.scalar(.timestamp(Timestamp(milliseconds: published.expires + 1)))
        #expect(try await modify(.forceUpdate, published.id, [("expires", later)])?.error?.code == .badRequest)
        #expect(try await modify(.forceUpdate, published.id, [("name", .text("b"))])?.error?.code == .badRequest)
        #expect(try await modify(.create, "own", [("name", .text("b"))])?.error?.code == .badRequest)
        #expect(try await modify(.forceDelete, published.id, [])?.isDeleted == true)
        #expect(try await cloud.opened(published) == nil)
    }

    @Test("an account has up to a number of publications")
    func number() async throws {
        let cloud = try await FileCloud()
        let item = try await cloud.service.createEmptyFile(FileChanges(name: "e", folder: .root), as: cloud.caller)
        for _ in 1..<FileLimits.publicationsPerAccount {
            _ = try await cloud.service.publishFile(named: item.id, as: cloud.caller)
        }
        let last = try await cloud.service.publishFile(named: item.id, as: cloud.caller)
        #expect(
            await refusal { try await cloud.service.publishFile(named: item.id, as: cloud.caller) }?.code
                == .badRequest)
        try await cloud.service.unpublishFile(id: last.id, as: cloud.caller)
        _ = try await cloud.service.publishFile(named: item.id, as: cloud.caller)
        #expect(
            try await cloud.service.publishedFiles(as: cloud.caller).count == FileLimits.publicationsPerAccount)
    }
}

extension FileCloud {
    /// What a link leads to; nil if it leads nowhere.
    fileprivate func opened(_ file: PublishedFile) async throws -> String? {
        guard let found = try await service.openPublication(try #require(file.token)) else { return nil }
        return String(decoding: try found.download.map { try service.bytes(of: $0) } ?? [], as: UTF8.self)
    }
}
