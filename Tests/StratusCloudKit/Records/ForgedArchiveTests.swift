import CloudKit
import StratusCloudModel
import Testing

@testable import StratusCloudKit

/// Archives that somebody changed. Each value in the archive of each class is replaced by others: the archive is refused,
/// or is of an object that can be used as any other. What stops the program stops this test.
@Suite struct ForgedArchiveTests {
    private static let zoneID = CKRecordZone.ID(zoneName: "Notes", ownerName: "_bob")
    private static let recordID = CKRecord.ID(recordName: "a", zoneID: zoneID)

    private static var record: CKRecord {
        let record = CKRecord(recordType: "Note", recordID: recordID)
        record["title"] = "Milk"
        record["count"] = 7
        record["rating"] = 0.5
        record["edited"] = Date(timeIntervalSinceReferenceDate: 5)
        record["bytes"] = Data([1, 2, 3])
        record["tags"] = ["a", "b"]
        record["places"] = [CLLocation(latitude: 52.5, longitude: 13.4)]
        record["about"] = CKRecord.Reference(recordID: recordID, action: .deleteSelf)
        record["picture"] = CKAsset(fileURL: URL(fileURLWithPath: "/tmp/none"))
        record.encryptedValues["secret"] = "words"
        record.setParent(CKRecord.ID(recordName: "p", zoneID: zoneID))
        return record
    }

    private static var subscriptions: [CKSubscription] {
        let query = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(format: "title == %@ AND count IN %@", "a", [1, 2]),
            subscriptionID: "q")
        let info = CKSubscription.NotificationInfo(alertBody: "Hi", desiredKeys: ["title"], shouldBadge: true)
        query.notificationInfo = info
        query.zoneID = zoneID
        let zone = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "z")
        zone.recordType = "Note"
        return [query, zone, CKDatabaseSubscription(subscriptionID: "d")]
    }

    private static var query: CKQuery {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title BEGINSWITH 'a' AND count > 5"))
        query.sortDescriptors = [
            NSSortDescriptor(key: "count", ascending: false),
            CKLocationSortDescriptor(key: "place", relativeLocation: CLLocation(latitude: 1, longitude: 2)),
        ]
        return query
    }

    private static var cursor: CKQueryCursor {
        CKQueryCursor(QueryRecordsRequest(query: Query(recordType: "Note"), continuationMarker: "m"))
    }

    private static var objects: [any NSObject & NSSecureCoding] {
        let group = CKOperationGroup()
        group.name = "n"
        group.expectedSendSize = .megabytes
        let unsendable = CKQuery(recordType: "Note", predicate: NSPredicate(format: "a == 1 OR b ENDSWITH 'x'"))
        var objects: [any NSObject & NSSecureCoding] = [
            record, recordID, zoneID, CKRecordZone(zoneID: zoneID), CKServerChangeToken("token"), query, unsendable,
            CKRecord.Reference(recordID: recordID, action: .deleteSelf), CKUserIdentity.LookupInfo(phoneNumber: "+1"),
            CKAsset(fileURL: URL(fileURLWithPath: "/tmp/none")), group,
            CKFetchRecordZoneChangesOperation.ZoneConfiguration(
                previousServerChangeToken: CKServerChangeToken("t"), resultsLimit: 5, desiredKeys: ["a"]),
            CKNotificationID("n"), cursor,
            CKLocationSortDescriptor(key: "place", relativeLocation: CLLocation(latitude: 1, longitude: 2)),
        ]
        objects += subscriptions as [any NSObject & NSSecureCoding]
        objects += shares
        return objects
    }

    private static var shares: [any NSObject & NSSecureCoding] {
        let share = CKShare(rootRecord: record)
        share.addParticipant(.oneTimeURLParticipant())
        share.blockRequesters([CKShare.AccessRequester(share.owner.userIdentity)])
        let values = CKShare.Metadata.Values(
            shortGUID: "abc", containerIdentifier: "iCloud.a", ownerIdentity: share.owner.userIdentity,
            rootRecordID: recordID, role: .privateUser, acceptance: .pending, permission: .readOnly)
        return [
            share, share.owner, share.blockedIdentities[0],
            CKShare.Metadata(values, share: share, rootRecord: nil),
        ]
    }

    private static var replacements: [Any] {
        [
            "", "no type", "a\u{0}b", String(repeating: "x", count: 300), "_", 0, -1, Int64.max, Int64.min, Double.nan,
            1e300, true, Date(timeIntervalSinceReferenceDate: .infinity), Data(), Data("{\"query\":{}}".utf8),
            Data("{\"query\":{\"recordType\":\"T\",\"filterBy\":[{\"comparator\":\"EQUALS\"}]}}".utf8),
            Data("{\"query\":{\"filterBy\":[{\"fieldName\":\"a\"}]},\"continuationMarker\":\"m\"}".utf8),
        ]
    }

    /// The archive with each of its values replaced by each of the others.
    private static func forgeries(of data: Data) throws -> [Data] {
        let archive = try #require(PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        let objects = try #require(archive["$objects"] as? [Any])
        var forgeries: [Data] = []
        func add(_ index: Int, _ object: Any) throws {
            var (archive, objects) = (archive, objects)
            objects[index] = object
            archive["$objects"] = objects
            forgeries.append(
                try PropertyListSerialization.data(fromPropertyList: archive, format: .binary, options: 0))
        }
        for (index, object) in objects.enumerated() where index > 0 {
            if object is String || object is NSNumber || object is Data || object is Date {
                for replacement in replacements { try add(index, replacement) }
            } else if let members = object as? [String: Any], members["$classname"] == nil {
                for (name, member) in members where name != "$class" {
                    var rest = members
                    rest[name] = nil
                    try add(index, rest)
                    guard member is NSNumber || member is String || member is Data else { continue }
                    for replacement in replacements {
                        rest[name] = replacement
                        try add(index, rest)
                    }
                }
            }
        }
        return forgeries
    }

    /// Does with an object what programs do with theirs.
    private func use(_ object: any NSObject & NSSecureCoding) {
        _ = (object.description, object.hash, object.isEqual(object))
        _ = (object as? any NSCopying)?.copy(with: nil)
        _ = try? NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        switch object {
        case let record as CKRecord:
            let save = PendingSave(record, .allKeys)
            _ = (save.size, record.allTokens(), record.map { $0.0 })
            _ = try? save.operation([:], nil, IdentityNames(currentUser: nil))
        case let query as CKQuery: _ = try? QueryTranslation(names: IdentityNames(currentUser: nil)).query(query)
        case let sort as CKLocationSortDescriptor:
            let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
            query.sortDescriptors = [sort]
            _ = try? QueryTranslation(names: IdentityNames(currentUser: nil)).query(query)
        case let subscription as CKQuerySubscription:
            _ = subscription.predicate.predicateTree.description
            _ = subscription.notificationInfo?.copy()
        case let zone as CKRecordZone: _ = zone.capabilities.contains(.atomic)
        default: break
        }
    }

    @Test(arguments: objects.indices) func forged(_ index: Int) throws {
        let object = Self.objects[index]
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        let whole = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [type(of: object)], from: data)
        #expect(whole is NSObject, "\(type(of: object)) comes back")
        var accepted = 0
        let forgeries = try Self.forgeries(of: data)
        for forgery in forgeries {
            let read = try? NSKeyedUnarchiver.unarchivedObject(ofClasses: [type(of: object)], from: forgery)
            guard let read = read as? any NSObject & NSSecureCoding else { continue }
            accepted += 1
            use(read)
        }
        #expect(!forgeries.isEmpty && accepted < forgeries.count, "\(type(of: object))")
    }
}
