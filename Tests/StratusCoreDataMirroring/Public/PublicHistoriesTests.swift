import CloudKit
import CoreData
import StratusCoreDataMirroring
import StratusSeeds
import StratusTestSupport
import StratusTesting
import Testing

/// Three people change a public database at random, with and without rights, accounts and a network. In the end all
/// stores are the same as the database, and know who may change what.
@Suite struct PublicHistoriesTests {
    private static let people = ["ada", "bob", "eve"]

    /// The contents of a store or the database: the notes with their texts and tags.
    private typealias Contents = [String: [String]]

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func storesConverge(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let hasFeed = seed % 3 != 0
        let cloud = try await LocalCloud(LocalCloud.Options(seed: seed, changesPerPage: 3))
        if !hasFeed { cloud.faults.inject(.error(.unknownItem), on: .fetchPublicChanges, times: nil) }
        var apps = try Self.people.map { try MirroredDevice.public(cloud.account($0).device("phone")) }
        for step in 0..<40 {
            let index = Int.random(in: 0..<apps.count, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<6:
                let choice = Choice(step: step, deletes: hasFeed, &random)
                try await apps[index].save { try Self.change($0, choice) }
            case 6..<9: await apps[index].synchronize()
            case 9:
                let faults = [LocalCloud.Fault.offline, .dropAfterCommit, .throttle(retryAfter: 3)]
                let fault = faults[Int.random(in: 0..<faults.count, using: &random)]
                cloud.faults.inject(fault, on: [.saveRecords, .deleteRecords, .fetchRecords])
            case 10: try apps[index] = apps[index].restarted(controls: MirroringControls())
            default:
                let device = apps[index].device
                if Bool.random(using: &random) {
                    device.signOut()
                } else {
                    device.signIn(as: cloud.account(Self.people[Int.random(in: 0..<3, using: &random)]))
                }
            }
            if step == 20 { cloud.expireChangeTokens() }
        }
        try await converge(apps, cloud, "seed \(seed)")
    }

    private func converge(_ apps: [MirroredDevice], _ cloud: LocalCloud, _ seed: String) async throws {
        for (app, name) in zip(apps, Self.people) { app.device.signIn(as: cloud.account(name)) }
        // Each round may end with a fault that is left, and what one sends the others fetch in the next one.
        for _ in 0..<10 {
            // A server that was busy takes requests again.
            cloud.clock.advance(by: .seconds(60))
            for app in apps { await app.synchronize() }
        }
        let records = try await cloud.publicRecords()
        let stored = try Self.contents(records)
        for (app, name) in zip(apps, Self.people) {
            let found = try await app.read { try Self.contents($0) }
            #expect(found == stored, "\(seed), \(name)")
            let user = try await app.device.container.userRecordID()
            let own = records.filter { $0.recordType == "CD_Note" && $0.creatorUserRecordID == user }
            #expect(try await allowed(app) == Set(own.map(\.recordID.recordName)), "\(seed), rights of \(name)")
        }
    }

    /// The names of the records of notes that the person may change.
    private func allowed(_ app: MirroredDevice) async throws -> Set<String> {
        let container = app.container
        return try await app.read { context in
            let notes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).map(\.objectID)
            let allowed = notes.filter { container.canUpdateRecord(forManagedObjectWith: $0) }
            return Set(container.recordIDs(for: allowed).values.map(\.recordName))
        }
    }

    // MARK: - Changes

    private struct Choice: Sendable {
        let step: Int
        let kind: Int
        let place: Int

        init(step: Int, deletes: Bool, _ random: inout SeededRandom) {
            self.step = step
            kind = Int.random(in: 0..<(deletes ? 6 : 4), using: &random)
            place = Int.random(in: 0..<1_000, using: &random)
        }
    }

    private static func change(_ context: NSManagedObjectContext, _ choice: Choice) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let notes = try context.fetch(request)
        let note = notes.isEmpty ? nil : notes[choice.place % notes.count]
        switch choice.kind {
        case 0: context.insert("Note", ["title": "note \(choice.step)"])
        case 1:
            let tag = context.insert("Tag", ["name": "tag \(choice.step)"])
            note?.mutableSetValue(forKey: "tags").add(tag)
        case 2, 3: note?.setValue("text \(choice.step)", forKey: "text")
        case 4: if let note { context.delete(note) }
        default: note?.setValue(Set<NSManagedObject>(), forKey: "tags")
        }
    }

    // MARK: - Contents

    private static func contents(_ context: NSManagedObjectContext) throws -> Contents {
        let notes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
        return Dictionary(
            notes.map { note in
                let tags = (note.value(forKey: "tags") as? Set<NSManagedObject> ?? []).compactMap {
                    $0.value(forKey: "name") as? String
                }
                return (
                    note.value(forKey: "title") as? String ?? "",
                    [note.value(forKey: "text") as? String ?? ""] + tags.sorted()
                )
            }, uniquingKeysWith: { $0 + ["twice"] + $1 })
    }

    private static func contents(_ records: [CKRecord]) throws -> Contents {
        let names = Dictionary(
            records.map { ($0.recordID.recordName, $0) }, uniquingKeysWith: { first, _ in first })
        var tags: [String: [String]] = [:]
        for link in records where link.recordType == "CDMR" {
            // The entities are in the order of their names: Note, Tag.
            let ends = (link["CD_recordNames"] as? String ?? "").split(separator: ":").map(String.init)
            guard ends.count == 2, names[ends[0]] != nil, let tag = names[ends[1]]?["CD_name"] as? String else {
                continue
            }
            tags[ends[0], default: []].append(tag)
        }
        return Dictionary(
            records.filter { $0.recordType == "CD_Note" }.map { note in
                (
                    note["CD_title"] as? String ?? "",
                    [note["CD_text"] as? String ?? ""] + (tags[note.recordID.recordName] ?? []).sorted()
                )
            }, uniquingKeysWith: { $0 + ["twice"] + $1 })
    }
}
