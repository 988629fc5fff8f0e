import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// Tokens of participants' feeds.
@Suite("Tokens of shared zones")
struct SharedSyncTokenTests {
    @Test("A token that knows all shares of a zone that there may be can be sent back; what is longer is none")
    func longestToken() async throws {
        let cloud = try await TestCloud()
        let bob = cloud.user("b")
        let address = try DatabaseAddress(.shared, cloud.place("Z"), bob)
        // Versions that a zone has after years, with a walk begun in each share, and each of them ended.
        let version = UInt64(1) << 34
        let position = FeedPosition(
            known: version, start: version, walk: FeedPosition.Walk(top: version, told: version))
        let numbers = (0..<ShareLimits.sharesPerZone).map { ShareNumber(rawValue: UInt64(10_000 + $0)) }
        let counters = try await cloud.store.read(cloud.database) { try DatabaseCounters.read(in: $0) }
        var token = SharedSyncToken(
            zone: .default, whole: nil, positions: Dictionary(uniqueKeysWithValues: numbers.map { ($0, position) }),
            counters)
        token.endings = Dictionary(uniqueKeysWithValues: numbers.map { ($0, version) })
        token.beginning = SharedSyncToken.Beginning(
            top: version, known: Dictionary(uniqueKeysWithValues: numbers.map { ($0, version) }))
        let seals = cloud.service.seals
        let text = token.text(for: address, seals)
        #expect(text.utf8.count <= ServiceLimits.sharedSyncTokenLength)
        #expect(try SharedSyncToken(text, for: address, seals) == token)
        for length in [ServiceLimits.sharedSyncTokenLength, ServiceLimits.sharedSyncTokenLength + 1] {
            let padded = text + String(repeating: "A", count: length - text.utf8.count)
            #expect(throws: SyncToken.unknown) { try SharedSyncToken(padded, for: address, seals) }
        }
    }

    @Test("A token that was given before tokens held where pages began is still good")
    func formerFormat() async throws {
        let cloud = try await TestCloud()
        let address = try DatabaseAddress(.shared, cloud.place("Z"), cloud.user("b"))
        let counters = try await cloud.store.read(cloud.database) { try DatabaseCounters.read(in: $0) }
        let (share, ended) = (ShareNumber(rawValue: 7), ShareNumber(rawValue: 9))
        var token = SharedSyncToken(
            zone: .default, whole: nil, positions: [share: FeedPosition(known: 12, start: 40)], counters)
        token.endings = [ended: 3]
        var writer = ByteWriter(capacity: 64)
        writer.write(byte: 1)
        writer.write(unsigned: ZoneNumber.default.rawValue)
        writer.write(unsigned: 0)
        writer.write(unsigned: 1)
        writer.write(unsigned: share.rawValue)
        FeedPosition(known: 12, start: 40).write(to: &writer)
        writer.write(unsigned: 1)
        writer.write(unsigned: ended.rawValue)
        writer.write(unsigned: 3)
        counters.history.write(to: &writer)
        writer.write(unsigned: counters.changeVersion)
        let seals = cloud.service.seals
        let binding = [3] + Array("\(address.participant ?? "")\n\(address.partition.name)".utf8)
        let text = Base64.string(seals.seal(writer.bytes, for: .syncToken, boundTo: binding))
        #expect(try SharedSyncToken(text, for: address, seals) == token)
    }
}
