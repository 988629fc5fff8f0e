import StratusTestSupport
import Testing

/// Tests of Alice, who shares, and Bob, with whom.
protocol SharingPair {
    var tenant: Tenant { get }
}

extension SharingPair {
    var owner: Database { tenant.privateDatabase }
    /// Bob's, where links are asked about.
    var links: Database { tenant.bobsPublicDatabase }
    /// Bob's, of what others share.
    var guest: Database { tenant.database("shared", tenant.credential(of: tenant.bob)) }

    func place(_ zone: String) -> JSON {
        ["zoneName": .string(zone), "ownerRecordName": .string(tenant.alice.userRecordName)]
    }

    var bob: JSON { Shares.invite(tenant.bob.email) }

    /// A zone with a root, shared with Bob, who has accepted, and a child.
    func joined(
        _ permission: String = "READ_WRITE"
    ) async throws -> (zone: String, place: JSON, share: JSON) {
        let zone = try await owner.makeZone()
        let (_, share) = try await owner.share(
            root: "root", in: zone, with: [Shares.invite(tenant.bob.email, permission)])
        expectSaved(try await owner.modify([Shares.child("child", of: "root")], zone: zone))
        let accepted = try await links.link("accept", share["shortGUID"].string ?? "")
        #expect(accepted["participantStatus"] == "ACCEPTED", "\(accepted)")
        return (zone, place(zone), share)
    }

    func names(_ page: JSON) -> Set<String> { Set(page.records.map(\.name)) }
}
