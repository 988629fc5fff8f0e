import Foundation
import StratusCloudAssets
import StratusCloudModel
import StratusCloudService
import StratusCloudStore
import Testing

@testable import StratusCloudServer

/// What a server does by itself is done when its clock says so, and not before.
@Suite struct HousekeepingTests {
    /// Whatever recurs: the collection of assets, the purge of tombstones, figures and mail.
    private static let recurrences = 4
    private static let day: Int64 = 24 * 60

    private let clock = ManualClock()
    private let assets = MemoryAssets()

    private func cloud() async throws -> TestCloud {
        let cloud = try await TestCloud(assets: assets, pauses: clock)
        await clock.sleepers(Self.recurrences)
        return cloud
    }

    /// Moves the server's time, and waits until all that is due is done.
    private func advance(by duration: Duration) async {
        clock.advance(by: duration)
        await clock.sleepers(Self.recurrences)
    }

    private var caller: Caller {
        Caller(context: TestCloud.context(), principal: .user("_" + String(repeating: "a", count: 32)))
    }

    private func upload(_ bytes: [UInt8], _ service: CloudService) async throws {
        let request = UploadAssetsRequest(items: [.init(recordName: "p", recordType: "Photo", fieldName: "image")])
        let places = try await service.makeUploadPlaces(request, in: .private, as: caller) { $0 }
        guard case .place(_, _, let ticket)? = places.first else { throw CancellationError() }
        let body = AsyncStream<[UInt8]> { stream in
            stream.yield(bytes)
            stream.finish()
        }
        _ = try await service.receiveAsset(
            try service.uploadTicket(ticket, continuing: false), .whole(length: Int64(bytes.count)), sha256: nil,
            body: body)
    }

    @Test("Threat 49: the server removes what was uploaded and never saved, with every tick of its timer")
    func assetsAreCollected() async throws {
        let cloud = try await cloud()
        for round in 0..<2 as Range<UInt8> {
            try await upload([1, 2, round], cloud.service)
            #expect(assets.files.count == 1)
            // Expired and then unused for as long as unused bytes are kept, which begins when a collection finds it.
            cloud.advance(minutes: Self.day)
            await advance(by: ServerLimits.assetCollectionInterval)
            #expect(assets.files.count == 1)
            cloud.advance(minutes: Self.day)
            clock.advance(by: ServerLimits.assetCollectionInterval - .nanoseconds(1))
            #expect(assets.files.count == 1, "before its time")
            await advance(by: .nanoseconds(1))
            #expect(assets.files.isEmpty)
        }
        let lines = await cloud.log.text().split(separator: "\n").filter { $0.contains("removed unused assets") }
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains(#""files":1"#) }, "\(lines)")
        await cloud.stop()
    }

    @Test("The server forgets old deletions ten minutes after its start, and then each day")
    func tombstonesArePurged() async throws {
        let cloud = try await cloud()
        let signIn = try await cloud.service.createSession(email: TestCloud.email, context: TestCloud.context())
        let caller = Caller(context: TestCloud.context(), principal: .user(signIn.userRecordName))
        let zone = ZoneID(zoneName: "Z")
        _ = try await cloud.service.modifyZones([ZoneOperation(.create, zone)], in: .private, as: caller)
        var purges: [Substring] = []
        for (name, pause) in [
            ("a", ServerLimits.firstHousekeeping), ("b", ServerLimits.housekeepingInterval),
        ] {
            for kind in [RecordOperation.Kind.create, .forceDelete] {
                let operation = RecordOperation(kind, RecordInput(recordName: name, recordType: "Note", fields: []))
                _ = try await cloud.service.modifyRecords(
                    ModifyRecordsRequest(operations: [operation], zoneID: zone), in: .private, as: caller)
            }
            cloud.advance(minutes: 366 * Self.day)
            await advance(by: pause - .nanoseconds(1))
            #expect(await Self.purges(cloud) == purges, "before its time")
            await advance(by: .nanoseconds(1))
            purges = await Self.purges(cloud)
            #expect(purges.last?.contains(#""purgedTombstones":1"#) == true, "\(purges)")
        }
        #expect(purges.count == 2)
        await cloud.stop()
    }

    private static func purges(_ cloud: TestCloud) async -> [Substring] {
        await cloud.log.text().split(separator: "\n").filter { $0.contains(#""housekeeping""#) }
    }

    @Test("A server that stops does nothing by itself any more")
    func stopping() async throws {
        let cloud = try await cloud()
        try await upload([1], cloud.service)
        await cloud.stop()
        cloud.advance(minutes: 3 * Self.day)
        clock.advance(by: .seconds(7 * 86_400))
        #expect(assets.files.count == 1)
    }
}
