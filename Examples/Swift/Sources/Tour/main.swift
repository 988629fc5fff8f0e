// The way through CloudKit: save, fetch, update, query, subscribe, follow.

import CloudKit

let container = CKContainer.default()
let database = container.privateCloudDatabase

guard try await container.accountStatus() == .available else {
    print("Nobody is signed in.")
    exit(1)
}

// A zone of one's own: all or nothing, and with a feed of changes.
let zone = try await database.save(CKRecordZone(zoneName: "Library"))
print("zone \(zone.zoneID.zoneName)")

// Save. A record is a type, a name and fields; records point to each other.
let author = CKRecord(recordType: "Author", recordID: CKRecord.ID(recordName: "le-guin", zoneID: zone.zoneID))
author["name"] = "Ursula K. Le Guin"
let titles = [("The Dispossessed", 1974), ("The Lathe of Heaven", 1971), ("A Wizard of Earthsea", 1968)]
let books = titles.map { title, year in
    let book = CKRecord(recordType: "Book", recordID: CKRecord.ID(zoneID: zone.zoneID))
    book["title"] = title
    book["year"] = year
    book["author"] = CKRecord.Reference(record: author, action: .deleteSelf)
    return book
}
let saved = try await database.modifyRecords(saving: books + [author], deleting: [], atomically: true)
print("saved \(saved.saveResults.count) records")

// Fetch.
let fetched = try await database.record(for: author.recordID)
print("fetched \(fetched["name"] as? String ?? "?")")

// Update. Who saves an older version than the cloud has is told so, and merges into what is there.
let stale = fetched.copy() as? CKRecord ?? fetched
fetched["born"] = 1929
try await database.save(fetched)
do {
    stale["died"] = 2018
    try await database.save(stale)
} catch let error as CKError where error.code == .serverRecordChanged {
    guard let current = error.serverRecord else { throw error }
    current["died"] = stale["died"]
    let merged = try await database.save(current)
    print("merged \(merged["born"] as? Int ?? 0)–\(merged["died"] as? Int ?? 0)")
}

// Query.
let early = CKQuery(
    recordType: "Book",
    predicate: NSPredicate(
        format: "year < %d AND author == %@", 1974, CKRecord.Reference(record: author, action: .none)))
early.sortDescriptors = [NSSortDescriptor(key: "year", ascending: true)]
let (matches, _) = try await database.records(matching: early, inZoneWith: zone.zoneID, desiredKeys: ["title"])
for (_, result) in matches { print("found \(try result.get()["title"] as? String ?? "?")") }

// Subscribe. The person's other devices are told by push when something changes.
let subscription = CKDatabaseSubscription(subscriptionID: "changes")
subscription.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
try await database.save(subscription)
print("subscribed \(try await database.allSubscriptions().map(\.subscriptionID).joined(separator: ", "))")

// Follow. A device that keeps the token hears what happened since, and nothing twice.
let before = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
try await database.deleteRecord(withID: author.recordID)
let since = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: before.changeToken)
print("gone with their author: \(since.deletions.filter { $0.recordType == "Book" }.count) books")

try await database.deleteRecordZone(withID: zone.zoneID)
