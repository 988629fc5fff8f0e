import StratusCloudModel
import Testing

@testable import StratusCloudService

/// What participants hear of records that come and go.
@Suite("Feeds of shared zones")
struct SharedFeedTests {
    /// What a page of a participant's tells, one after the other.
    private func told(_ page: ZoneChangesPage) -> [String] {
        page.changes.map { change in
            switch change {
            case .saved(let record): record.recordName
            case .deleted(let name, _, _): "-" + name
            }
        }
    }

    @Test("Threat 46: many departures are told once, as far as a feed looks; then again, and not never")
    func departures() async throws {
        for (hidden, times) in [(ShareLimits.departuresPerRecord - 1, 1), (ShareLimits.departuresPerRecord, 2)] {
            let cloud = try await TestCloud()
            let bob = cloud.user("b")
            try await cloud.makeZone("Z")
            _ = try await cloud.share("root", in: "Z", with: [bob])
            _ = try await cloud.share("other", in: "Z")
            let before = try await cloud.shared("Z", as: bob)
            let parents = Array(repeating: ["other", nil], count: hidden) + [["root", nil], ["root", nil]]
            for parent in parents.joined() {
                let results = try await cloud.modify([cloud.child("child", of: parent)], zone: "Z")
                #expect(results.first?.saved != nil, "\(results)")
            }
            let page = try await cloud.shared("Z", since: before.syncToken, as: bob)
            #expect(told(page) == Array(repeating: "-child", count: times))
            #expect(try await told(cloud.shared("Z", since: page.syncToken, as: bob)).isEmpty)
        }
    }

    @Test("Threat 46: what was in a share that ended, and left another one since, is gone once")
    func endedShare() async throws {
        let cloud = try await TestCloud()
        let bob = cloud.user("b")
        try await cloud.makeZone("Z")
        let ended = try await cloud.share("ended", in: "Z", with: [bob])
        _ = try await cloud.share("root", in: "Z", with: [bob])
        _ = try await cloud.modify([cloud.child("child", of: "ended")], zone: "Z")
        let before = try await cloud.shared("Z", as: bob)
        _ = try await cloud.modify([.make(.forceDelete, ended.recordName, type: nil)], zone: "Z")
        for parent in ["root", nil] { _ = try await cloud.modify([cloud.child("child", of: parent)], zone: "Z") }
        let page = try await cloud.shared("Z", since: before.syncToken, as: bob)
        #expect(told(page).sorted() == ["-child", "-ended", "-" + ended.recordName].sorted())
        #expect(try await told(cloud.shared("Z", since: page.syncToken, as: bob)).isEmpty)
    }
}
