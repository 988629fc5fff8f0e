import StratusCloudModel
import StratusCloudStore
import StratusTestSupport
import Testing

@testable import StratusCloudService

/// A client that keeps a copy of a database by its feeds, a page at a time.
struct Follower {
    /// What it knows of a zone.
    struct Copy {
        var token: String?
        var records: [String: Record] = [:]
    }

    /// The most that a page may have; nil asks for none in particular.
    let limit: Int?
    /// Only records of these types; nil wants all.
    let types: [String]?
    private(set) var zones: [String: Copy] = [:]
    private var databaseToken: String?
    /// Zones that changed, whose changes are not all fetched.
    private var changed: Set<String> = []
    /// Zones told since it had to begin anew; nil when it did not.
    private var toldAnew: Set<String>? = []
    private var isDone = false

    init(limit: Int?, types: [String]? = nil) {
        self.limit = limit
        self.types = types
    }

    /// Fetches one page of something.
    mutating func step(_ cloud: TestCloud, using random: inout RandomValues) async throws {
        if let zone = changed.sorted().randomElement(using: &random), Int.random(in: 0..<4, using: &random) > 0 {
            try await fetch(zone, cloud, reverse: Int.random(in: 0..<5, using: &random) == 0)
        } else {
            try await fetchDatabase(cloud)
        }
    }

    /// Asks for all zones again, as one who hears that a backup was put back.
    ///
    /// Who had learned of a zone's change before the backup was made, and fetched the zone after it, has contents of a
    /// lost future that the database's feed has no reason to tell of: its zone token is refused with the next change.
    mutating func doubtZones() { changed.formUnion(zones.keys) }

    /// Fetches until there is nothing more.
    mutating func catchUp(_ cloud: TestCloud, using random: inout RandomValues) async throws {
        isDone = false
        var turns = PageTurns(from: databaseToken)
        while true {
            try await fetchDatabase(cloud)
            if isDone { break }
            if let databaseToken { try turns.turn(to: databaseToken) } else { try turns.beginAnew() }
        }
        var ways: [String: PageTurns] = [:]
        while let zone = changed.sorted().first {
            try await fetch(zone, cloud, reverse: Int.random(in: 0..<5, using: &random) == 0)
            guard changed.contains(zone) else { continue }
            if let token = zones[zone]?.token {
                try ways[zone, default: PageTurns()].turn(to: token)
            } else {
                try ways[zone, default: PageTurns()].beginAnew()
            }
        }
    }

    private mutating func fetchDatabase(_ cloud: TestCloud) async throws {
        do {
            let page = try await cloud.databaseChanges(since: databaseToken, limit: limit)
            #expect(page.zones.count <= limit ?? ModelLimits.recordsPerResponse)
            #expect(Set(page.names).count == page.names.count, "a zone stands once in a page")
            for zone in page.zones { note(zone) }
            databaseToken = page.syncToken
            isDone = !page.moreComing
            if isDone, let told = toldAnew {
                zones = zones.filter { told.contains($0.key) }
                changed.formIntersection(told)
                toldAnew = nil
            }
        } catch let error as CloudError where error.extensionCode == .changeTokenExpired {
            #expect(databaseToken != nil)
            databaseToken = nil
            toldAnew = []
        }
    }

    private mutating func note(_ zone: ZoneResult) {
        switch zone {
        case .zone(let zone):
            let name = zone.zoneID.zoneName
            zones[name, default: Copy()] = zones[name] ?? Copy()
            changed.insert(name)
            toldAnew?.insert(name)
        case .deleted(let zoneID, _):
            zones[zoneID.zoneName] = nil
            changed.remove(zoneID.zoneName)
            toldAnew?.remove(zoneID.zoneName)
        case .failed(let zoneID, let error): Issue.record("\(zoneID) \(error)")
        }
    }

    private mutating func fetch(_ zone: String, _ cloud: TestCloud, reverse: Bool) async throws {
        var copy = zones[zone] ?? Copy()
        do {
            let page = try await cloud.changes(zone, since: copy.token, limit: limit, types: types, reverse: reverse)
            #expect(page.changes.count <= limit ?? ModelLimits.recordsPerResponse)
            #expect(Set(page.names).count == page.names.count, "a record stands once in a page")
            for change in page.changes {
                switch change {
                case .saved(let record): copy.records[record.recordName] = record
                case .deleted(let name, _, _): copy.records[name] = nil
                }
            }
            #expect(page.syncToken != copy.token || page.changes.isEmpty && !page.moreComing, "a page gets on")
            copy.token = page.syncToken
            zones[zone] = copy
            if !page.moreComing { changed.remove(zone) }
        } catch let error as CloudError where error.code == .zoneNotFound {
            // The database's feed tells the rest.
            changed.remove(zone)
        } catch let error as CloudError where error.extensionCode == .changeTokenExpired {
            #expect(copy.token != nil)
            zones[zone] = Copy()
        }
    }
}
