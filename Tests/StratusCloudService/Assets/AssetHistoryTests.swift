import Foundation
import StratusCloudAssets
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore
import StratusSeeds
import Testing

@testable import StratusCloudService

/// Random histories with crashes: what a record has is always there, and what nothing has goes.
///
/// A crash is a failed commit (before or after it took hold) or a failed write of bytes, after which the process is
/// gone: bytes that were not synced are lost, and a new service goes on with what is left.
@Suite struct AssetHistoryTests {
    @Test("Threat 49: never collected while referenced, always collected later", arguments: 0..<40)
    func history(number: Int) async throws {
        let seed = Seed.draw(number)
        var run = try await AssetHistory(seed: seed)
        for step in 0..<120 { try await run.step(step) }
        try await run.settle()
        if !run.problems.isEmpty { Issue.record("STRATUS_SEED=\(seed): \(run.problems)") }
    }
}

/// One history and the model it is compared with.
private struct AssetHistory {
    private let store = MemoryStore()
    private let assets = MemoryAssets()
    private var cloud: AssetCloud
    private var random: SeededRandom
    /// What is known of each record, by zone and name; nothing of those that are not there.
    private var records: [String: Knowledge] = [:]
    private var receipts: [(place: String, bytes: [UInt8], asset: Asset)] = []
    private var partial: [(ticket: String, bytes: [UInt8])] = []
    private(set) var problems: [String] = []

    private enum Knowledge: Equatable {
        case has(Set<[UInt8]>)
        /// A crash left open whether a step took hold.
        case open
    }

    private static let zones = ["_defaultZone", "Y", "Z"]

    init(seed: UInt64) async throws {
        random = SeededRandom(seed: seed)
        cloud = AssetCloud(try await TestCloud(store: store, assets: assets), assets)
        for zone in Self.zones.dropFirst() { try await cloud.cloud.makeZone(zone) }
    }

    mutating func step(_ number: Int) async throws {
        let isCrashing = random.below(8) == 0
        if isCrashing { armFault() }
        switch random.below(12) {
        case 0...2: await upload()
        case 3...6: await save()
        case 7: await delete()
        case 8: await breakOff()
        case 9: await goOn()
        case 10: await deleteZone()
        default:
            cloud.advance(milliseconds: Int64(random.below(14)) * 60 * 60 * 1_000)
            _ = try? await cloud.service.collectAssets()
        }
        if isCrashing { try await crash() }
        if number % 10 == 9 { try await checkContent() }
    }

    // MARK: - Steps

    private mutating func place() -> (zone: String, name: String) {
        (Self.zones[random.below(Self.zones.count)], "r\(random.below(4))")
    }

    /// Few different contents, so that equal ones meet.
    private mutating func content() -> [UInt8] {
        Array(repeating: UInt8(random.below(6)), count: 20 + random.below(2))
    }

    private mutating func upload() async {
        let (zone, name) = place()
        let bytes = content()
        guard let asset = try? await cloud.upload(bytes, for: name, zone: zone) else { return }
        receipts.append(("\(zone)/\(name)", bytes, asset))
    }

    private mutating func save() async {
        let (zone, name) = place()
        let key = "\(zone)/\(name)"
        var chosen: [(bytes: [UInt8], asset: Asset)] = []
        for _ in 0..<random.below(3) {
            guard let index = receipts.lastIndex(where: { $0.place == key }) else { break }
            let receipt = receipts[index]
            // Sometimes it is kept, to be tried again.
            if random.below(4) > 0 { receipts.remove(at: index) }
            chosen.append((receipt.bytes, receipt.asset))
        }
        let list = InputValue.list(chosen.map { .scalar(.asset($0.asset)) })
        // A list that is known to be one of assets may be empty.
        let fields: [String: InputValue] = chosen.isEmpty && random.below(2) == 0 ? [:] : ["image": list]
        do {
            let result = try await cloud.save(.forceReplace, name, fields, zone: zone)
            if result.saved != nil { records[key] = .has(Set(chosen.map(\.bytes))) }
        } catch {
            records[key] = .open
        }
    }

    private mutating func delete() async {
        let (zone, name) = place()
        let key = "\(zone)/\(name)"
        do {
            let result = try await cloud.save(.forceDelete, name, [:], zone: zone)
            if result.isDeleted { records[key] = nil }
        } catch {
            records[key] = .open
        }
    }

    private mutating func breakOff() async {
        let (zone, name) = place()
        let bytes = content()
        guard let (_, text) = try? await cloud.place(name, zone: zone),
            let ticket = try? cloud.service.uploadTicket(text, continuing: false)
        else { return }
        _ = try? await cloud.service.receiveAsset(
            ticket, .whole(length: Int64(bytes.count)), sha256: nil,
            body: Pieces(bytes, breakingOffAt: 1 + random.below(18), size: 5))
        partial.append((text, bytes))
    }

    private mutating func goOn() async {
        guard !partial.isEmpty else { return }
        let (text, bytes) = partial.remove(at: random.below(partial.count))
        guard let ticket = try? cloud.service.uploadTicket(text, continuing: true),
            case .partial(let offset)? = try? await cloud.service.uploadState(ticket), offset > 0
        else { return }
        let rest = Array(bytes[Int(offset)...])
        let part = AssetPart.range(from: offset, length: Int64(rest.count), total: Int64(bytes.count))
        guard let asset = try? (try await cloud.send(rest, to: text, part)).asset else { return }
        if AssetID(fileChecksum: asset.fileChecksum) != AssetID(sha256: .sha256(bytes)) {
            problems.append("an upload went on with other bytes")
        }
    }

    private mutating func deleteZone() async {
        guard random.below(3) == 0 else { return }
        let zone = Self.zones[1 + random.below(2)]
        let operation = ZoneOperation(.delete, ZoneID(zoneName: zone))
        let results = try? await cloud.service.modifyZones([operation], in: .private, as: cloud.cloud.user())
        let isDone = results?.first.map { if case .failed = $0 { false } else { true } } ?? false
        for key in records.keys where key.hasPrefix(zone + "/") { records[key] = isDone ? nil : .open }
    }

    // MARK: - Crashes

    private mutating func armFault() {
        switch random.below(3) {
        case 0: store.failNextCommit(with: StoreError(.ioFailure, "crash"))
        case 1: store.failNextCommit(with: StoreError(.ioFailure, "crash"), afterCommit: true)
        default: assets.failNextWrite(with: AssetStoreError(.ioFailure, "crash"))
        }
    }

    private mutating func crash() async throws {
        assets.crash()
        // A fault that met nothing yet meets this.
        try? await store.write(Partition("nothing")) { $0.set(Key([1]), [1]) }
        let time = cloud.cloud.clock.withLock { $0 }
        cloud = AssetCloud(try TestCloud(reopening: store, assets: assets), assets)
        cloud.cloud.clock.withLock { $0 = time }
        for zone in Self.zones.dropFirst() { try await cloud.cloud.makeZone(zone) }
        // What a step that failed has done is what the store says.
        for (key, known) in records where known == .open { records[key] = try await stored(key).map { .has($0) } }
    }

    // MARK: - Checks

    private func stored(_ key: String) async throws -> Set<[UInt8]>? {
        let parts = key.split(separator: "/").map(String.init)
        let zone = parts[0] == ZoneID.defaultZoneName ? nil : parts[0]
        guard let record = try await cloud.cloud.lookup([parts[1]], zone: zone).first?.saved else { return nil }
        var found: Set<[UInt8]> = []
        for asset in record.fields["image"]?.value.assets ?? [] {
            let shown = cloud.service.answered(
                asset, of: "image", in: record, .private, to: cloud.cloud.user(), addressing: { $0 })
            found.insert(try await cloud.fetch(try #require(shown.downloadURL)))
        }
        return found
    }

    private mutating func checkContent() async throws {
        for (key, expected) in records {
            guard case .has(let expected) = expected else { continue }
            let found = try await stored(key)
            if found != expected { problems.append("\(key) has \(found as Any) instead of \(expected)") }
        }
    }

    /// When all times are over, exactly the bytes of records are left.
    mutating func settle() async throws {
        try await crash()
        try await checkContent()
        for _ in 0..<2 {
            cloud.advance(milliseconds: 25 * 60 * 60 * 1_000)
            try await cloud.service.collectAssets()
        }
        try await checkContent()
        var needed: Set<[UInt8]> = []
        for case .has(let content) in records.values { needed.formUnion(content) }
        if assets.files.count != needed.count {
            problems.append("\(assets.files.count) files for \(needed.count) contents")
        }
        let partition = Partition.privateDatabase(of: cloud.cloud.user().authorRecordName, in: cloud.cloud.context)
        let leftovers = try await store.read(partition) { transaction in
            try [Keyspace.Tag.assetUpload, .assetDue].flatMap {
                try transaction.entries(in: KeyRange(prefix: Key([$0.rawValue])), limit: 10)
            }
        }
        if !leftovers.isEmpty { problems.append("entries are left: \(leftovers)") }
    }
}

extension [UInt8] {
    fileprivate static func sha256(_ bytes: [UInt8]) -> [UInt8] { SHA256.hash(bytes) }
}
