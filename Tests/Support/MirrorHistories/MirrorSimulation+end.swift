import CloudKit
import CoreData
import Foundation
import StratusTesting

// The end: all devices are online, and nobody saves any more.
extension MirrorSimulation {
    /// Rounds after which all devices must have the same objects.
    private static let rounds = 12

    func finish() async throws {
        note(["the end"])
        try checkFailure()
        cloud.faults.removeAll()
        cloud.clock.advance(by: .seconds(3_600))
        for index in devices.indices { devices[index].offline = nil }
        // Zones of shares that were not finished go after a start.
        for index in devices.indices where devices.contains(where: \.isGuests) {
            await stop(index)
            try await start(index)
        }
        var rounds = 0
        repeat {
            guard rounds < Self.rounds else { throw MirrorViolation(.settles, "after \(rounds) rounds") }
            rounds += 1
            cloud.forgetRequests()
            for index in devices.indices { try await synchronize(index) }
        } while !isQuiet
        try await checkGraphs()
        try checkFailure()
    }

    /// Whether the last round changed nothing.
    private var isQuiet: Bool {
        let quiet: [LocalCloud.Calls] = [.fetchDatabaseChanges, .fetchPublicChanges]
        return cloud.requests.allSatisfy { quiet.contains($0.calls) && $0.error == nil }
    }

    private func checkGraphs() async throws {
        let graphs = try devices.indices.filter { !devices[$0].isGuests }.map { try lines($0) }
        for (index, graph) in graphs.enumerated() where graph != graphs[0] {
            throw MirrorViolation(.isEqual, "A \(graphs[0]), \(devices[index].device.name) \(graph)")
        }
        try ledger.check(try findings())
        try await checkServer(graphs[0])
        try await checkGuest()
        try await checkEntries()
    }

    /// All devices, whosesoever they are, have what the public database has.
    private func checkEntries() async throws {
        let entries = try devices.indices.map { index in
            try devices[index].context.map { context in
                try context.performAndWait { try MirroredGraph.entries(in: context) }
            } ?? []
        }
        for (index, found) in entries.enumerated() where found != entries[0] {
            throw MirrorViolation(.isEqual, "A \(entries[0]), \(devices[index].device.name) \(found)")
        }
        let records = try await cloud.publicRecords().filter { $0.recordType == "CD_Entry" }
        let stored = records.map { "\($0["CD_name"] as? String ?? "") title=\($0["CD_title"] as? String ?? "")" }
        guard stored.sorted() == entries[0].sorted() else {
            throw MirrorViolation(.isOnServer, "\(stored) for \(entries[0])")
        }
    }

    private func findings() throws -> [MirrorFinding] {
        guard let context = devices[0].context else { return [] }
        return try context.performAndWait {
            try ["Note", "Tag", "Image", "Entry"].flatMap { try MirroredGraph.objects($0, in: context) }.map { object in
                var finding = MirrorFinding(name: MirroredGraph.name(object), values: [:], tags: [])
                if object.entity.name == "Entry" {
                    finding.values = ["title": MirrorPerson.text(object.value(forKey: "title"))]
                    return finding
                }
                guard object.entity.attributesByName["title"] != nil else { return finding }
                for attribute in MirrorAttribute.allCases {
                    finding.values[attribute.rawValue] = MirrorPerson.text(object.value(forKey: attribute.rawValue))
                }
                for key in ["parent", "cover"] {
                    finding.values[key] = (object.value(forKey: key) as? NSManagedObject).map(MirroredGraph.name)
                }
                let tags = object.value(forKey: "tags") as? Set<NSManagedObject> ?? []
                finding.tags = tags.map(MirroredGraph.name)
                return finding
            }
        }
    }

    /// The server has a record for each object, one for each link, and none besides.
    private func checkServer(_ graph: [String]) async throws {
        let ada = cloud.account("ada")
        var records: [CKRecord] = []
        for zoneID in try await cloud.zones(of: ada) where zoneID.zoneName.hasPrefix("com.apple.coredata.cloudkit.") {
            let found = try await cloud.records(in: zoneID, of: ada)
            if zoneID != Self.zoneID { try checkLinks(found) }
            records += found
        }
        let links = records.filter { $0.recordType == "CDMR" }
        let objects = records.filter { $0.recordType.hasPrefix("CD_") }
        let names = Set(objects.map(\.recordID.recordName))
        guard objects.count == graph.count else {
            throw MirrorViolation(.isOnServer, "\(objects.count) records for \(graph.count) objects")
        }
        for link in links {
            guard Set(Self.ends(of: link)).isSubset(of: names) else {
                throw MirrorViolation(.isOnServer, "link \(link.recordID.recordName) leads to a record that is gone")
            }
        }
        let pairs = try findings().reduce(0) { $0 + $1.tags.count }
        guard Set(links.compactMap { $0["CD_recordNames"] as? String }).count == pairs else {
            throw MirrorViolation(.isOnServer, "\(links.count) records of links for \(pairs) links")
        }
    }

    /// The links in the zone of a share name records of that zone only, so that nobody learns of others.
    private func checkLinks(_ records: [CKRecord]) throws {
        let names = Set(records.map(\.recordID.recordName))
        for link in records where link.recordType == "CDMR" {
            guard Set(Self.ends(of: link)).isSubset(of: names) else {
                throw MirrorViolation(.isOnServer, "link \(link.recordID.recordName) leads out of its share")
            }
        }
    }

    /// The names of the records that a link names.
    private static func ends(of link: CKRecord) -> [String] {
        (link["CD_recordNames"] as? String ?? "").split(separator: ":").map(String.init)
    }
}
