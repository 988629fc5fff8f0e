import StratusCloudAssets
import StratusCloudCrypto
import StratusCloudModel
import StratusWorkers
import Testing

@testable import StratusCloudService

/// Bytes on their way in.
@Suite struct AssetUploadTests {
    private let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    private func offset(_ cloud: AssetCloud, _ ticket: String) async throws -> AssetUploadState {
        try await cloud.service.uploadState(try cloud.service.uploadTicket(ticket, continuing: true))
    }

    @Test("An upload that broke off goes on where it was kept", arguments: [1, 7, 500, 999])
    func resumes(end: Int) async throws {
        let cloud = try await AssetCloud()
        let (_, text) = try await cloud.place("p")
        let ticket = try cloud.service.uploadTicket(text, continuing: false)
        #expect(try await offset(cloud, text) == .partial(offset: 0))
        let broken = await refusal {
            try await cloud.service.receiveAsset(
                ticket, .whole(length: 1_000), sha256: nil, body: Pieces(bytes, breakingOffAt: end))
        }
        #expect(broken?.code == .tryAgainLater)
        #expect(try await offset(cloud, text) == .partial(offset: Int64(end)))
        cloud.assets.crash()
        let rest = Array(bytes[end...])
        let part = AssetPart.range(from: Int64(end), length: Int64(rest.count), total: 1_000)
        let asset = try (try await cloud.send(rest, to: text, part)).asset
        #expect(asset.fileChecksum == AssetID(sha256: SHA256.hash(bytes)).fileChecksum)
        #expect(try await cloud.save(.create, "p", ["image": .scalar(.asset(asset))]).saved != nil)
    }

    @Test("Parts add up, also where the size is known only at the end")
    func parts() async throws {
        let cloud = try await AssetCloud()
        let (_, text) = try await cloud.place("p")
        for start in stride(from: 0, to: 900, by: 300) {
            let part = AssetPart.range(from: Int64(start), length: 300, total: nil)
            let state = try await cloud.send(Array(bytes[start..<start + 300]), to: text, part)
            #expect(state == .partial(offset: Int64(start) + 300))
        }
        let last = AssetPart.range(from: 900, length: 100, total: 1_000)
        let asset = try (try await cloud.send(Array(bytes[900...]), to: text, last, sha256: SHA256.hash(bytes))).asset
        #expect(asset.fileChecksum == AssetID(sha256: SHA256.hash(bytes)).fileChecksum)
        #expect(try await offset(cloud, text) == .complete(asset), "the receipt can be asked for again")
    }

    @Test("A part that does not follow is refused and changes nothing")
    func wrongOffset() async throws {
        let cloud = try await AssetCloud()
        let (_, text) = try await cloud.place("p")
        let part = AssetPart.range(from: 5, length: 5, total: 10)
        #expect(await refusal { try await cloud.send([1, 2, 3, 4, 5], to: text, part) }?.code == .notFound)
        _ = try await cloud.send([1, 2, 3], to: text, .range(from: 0, length: 3, total: 10))
        let error = await refusal { try await cloud.send([1, 2, 3, 4, 5], to: text, part) }
        #expect(error?.code == .conflict && error?.reason == "the upload continues at byte 3")
        #expect(try await offset(cloud, text) == .partial(offset: 3))
    }

    @Test("Threat 47: bytes with another digest than stated are not kept")
    func digest() async throws {
        let cloud = try await AssetCloud()
        let (_, text) = try await cloud.place("p")
        let error = await refusal { try await cloud.send(bytes, to: text, sha256: SHA256.hash([0])) }
        #expect(error?.code == .badRequest && error?.reason.contains("SHA-256") == true)
        #expect(try await offset(cloud, text) == .partial(offset: 0))
        let asset = try (try await cloud.send(bytes, to: text, sha256: SHA256.hash(bytes))).asset
        #expect(try await cloud.save(.create, "p", ["image": .scalar(.asset(asset))]).saved != nil)
    }

    @Test("The same address takes the bytes again, as when the answer was lost")
    func again() async throws {
        let cloud = try await AssetCloud()
        let (_, text) = try await cloud.place("p")
        let first = try (try await cloud.send(bytes, to: text)).asset
        let second = try (try await cloud.send([1], to: text)).asset
        #expect(first != second)
        #expect(try await cloud.save(.create, "p", ["image": .scalar(.asset(first))]).error?.code == .badRequest)
        #expect(try await cloud.save(.create, "p", ["image": .scalar(.asset(second))]).saved != nil)
    }

    @Test("The latest request brings the bytes: one that stands still is cut, and what it brought is kept")
    func takenOver() async throws {
        let cloud = try await AssetCloud()
        let (_, text) = try await cloud.place("p")
        let ticket = try cloud.service.uploadTicket(text, continuing: false)
        let still = StandingPieces(Array(bytes[..<400]))
        let first = Task {
            await refusal {
                try await cloud.service.receiveAsset(ticket, .whole(length: 1_000), sha256: nil, body: still)
            }
        }
        for await _ in still.isStanding {}
        // It asks first how far the upload is, and hears it when it has taken over.
        let early = await refusal { try await cloud.send([], to: text, .range(from: 5, length: 0, total: 1_000)) }
        #expect(early?.code == .conflict && early?.reason == "the upload continues at byte 400")
        #expect(await first.value?.code == .tryAgainLater)
        let rest = AssetPart.range(from: 400, length: 600, total: 1_000)
        let asset = try (try await cloud.send(Array(bytes[400...]), to: text, rest)).asset
        #expect(asset.fileChecksum == AssetID(sha256: SHA256.hash(bytes)).fileChecksum)
    }

    @Test("Of many requests at once for an upload the latest is answered, and the others are told to go on")
    func manyAtOnce() async throws {
        let cloud = try await AssetCloud()
        let (_, text) = try await cloud.place("p")
        let codes = try await withThrowingTaskGroup(of: CloudError.Code?.self) { group in
            for _ in 0..<20 {
                group.addTask { [bytes] in await refusal { try await cloud.send(bytes, to: text) }?.code }
            }
            var codes: [CloudError.Code?] = []
            for try await code in group { codes.append(code) }
            return codes
        }
        #expect(codes.contains(nil))
        #expect(codes.allSatisfy { $0 == nil || $0 == .conflict || $0 == .tryAgainLater }, "\(codes)")
        let asset = try (try await cloud.send(bytes, to: text)).asset
        #expect(asset.fileChecksum == AssetID(sha256: SHA256.hash(bytes)).fileChecksum)
    }

    @Test("An empty asset is an asset")
    func empty() async throws {
        let cloud = try await AssetCloud()
        let record = try await cloud.store([], in: "p")
        #expect(try await cloud.fetch(try cloud.address(of: record)) == [])
    }

    @Test("Threat 47: forged and expired addresses take nothing")
    func addresses() async throws {
        let cloud = try await AssetCloud()
        let (_, text) = try await cloud.place("p")
        for index in text.indices {
            var forged = text
            forged.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            // The last letter may hold bits that mean nothing.
            guard TicketText.decode(forged) != TicketText.decode(text) else { continue }
            #expect(throws: CloudError.self) { try cloud.service.uploadTicket(forged, continuing: false) }
        }
        for nonsense in ["", "..", "../../x", "%00", String(repeating: "A", count: 5_000)] {
            let error = await refusal { try cloud.service.uploadTicket(nonsense, continuing: true) }
            #expect(error?.reason == "the upload address was not issued by this server")
        }
        cloud.advance(milliseconds: AssetLimits().uploadAddressLifetime)
        let error = await refusal { try await cloud.send(bytes, to: text) }
        #expect(error?.code == .accessDenied)
        #expect(error?.reason == "the upload address has expired; ask for a new one")
        #expect(cloud.assets.files.isEmpty)
    }

    @Test("An upload goes on after its address has expired, for its own time")
    func lateContinuation() async throws {
        let cloud = try await AssetCloud()
        let (_, text) = try await cloud.place("p")
        _ = try await cloud.send([1, 2, 3], to: text, .range(from: 0, length: 3, total: 6))
        cloud.advance(milliseconds: AssetLimits().uploadLifetime - 1)
        _ = try await cloud.send([4], to: text, .range(from: 3, length: 1, total: 6))
        cloud.advance(milliseconds: 1)
        let error = await refusal { try await cloud.send([5, 6], to: text, .range(from: 4, length: 2, total: 6)) }
        #expect(error?.code == .notFound)
    }

    @Test("Threat 41: a full disk is told clearly, and the upload goes on when there is room", arguments: [0, 1, 50])
    func diskFull(writes: Int) async throws {
        let cloud = try await AssetCloud()
        let (_, text) = try await cloud.place("p")
        let full = FullDisk(cloud.assets, afterWrites: writes)
        let service = CloudService(
            store: cloud.cloud.store, secret: Array(repeating: 9, count: 32),
            environment: cloud.service.environment, assets: full)
        let ticket = try service.uploadTicket(text, continuing: false)
        let error = await refusal {
            try await service.receiveAsset(ticket, .whole(length: 1_000), sha256: nil, body: Pieces(bytes))
        }
        #expect(error?.code == .tryAgainLater && error?.reason.contains("disk is full") == true)
        guard case .partial(let kept) = try await offset(cloud, text) else { throw Unexpected(description: "complete") }
        #expect(kept == Int64(7 * max(0, writes - 1)))
        let part =
            kept == 0
            ? AssetPart.whole(length: 1_000) : .range(from: kept, length: 1_000 - kept, total: 1_000)
        let asset = try (try await cloud.send(Array(bytes[Int(kept)...]), to: text, part)).asset
        #expect(asset.fileChecksum == AssetID(sha256: SHA256.hash(bytes)).fileChecksum)
    }
}

/// Files on a disk that is full after some writes; what was written can still be synced.
private final class FullDisk: AssetStore {
    private let assets: MemoryAssets
    private let writes: Int

    init(_ assets: MemoryAssets, afterWrites writes: Int) {
        self.assets = assets
        self.writes = writes
    }

    private static let error = AssetStoreError(.diskFull, "no room")

    func write(
        _ file: AssetFileID, of owner: AssetOwner, from offset: Int64, expecting: Int64?
    ) async throws(AssetStoreError) -> any AssetWriter {
        guard writes > 0 else { throw Self.error }
        return Writer(
            writer: try await assets.write(file, of: owner, from: offset, expecting: expecting), left: writes - 1)
    }

    func content(of file: AssetFileID, of owner: AssetOwner) async throws(AssetStoreError) -> AssetContent {
        try await assets.content(of: file, of: owner)
    }

    func remove(_ files: [AssetFileID], of owner: AssetOwner) async throws(AssetStoreError) {
        try await assets.remove(files, of: owner)
    }

    func contains(_ file: AssetFileID, of owner: AssetOwner) async throws(AssetStoreError) -> Bool {
        try await assets.contains(file, of: owner)
    }

    private final class Writer: AssetWriter {
        private let writer: any AssetWriter
        private let left: Lock<Int>

        init(writer: any AssetWriter, left: Int) {
            self.writer = writer
            self.left = Lock(left)
        }

        func append(_ bytes: [UInt8]) async throws(AssetStoreError) {
            let isFull = left.withLock { left in
                left -= 1
                return left < 0
            }
            if isFull { throw FullDisk.error }
            try await writer.append(bytes)
        }

        func synchronize() async throws(AssetStoreError) -> AssetStamp? { try await writer.synchronize() }
    }
}
