import CloudKit
import Testing

@testable import StratusCloudKit

@Suite struct ArchiveTests {
    private func roundTrip<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value {
        let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
    }

    @Test func identifiers() throws {
        let id = CKRecord.ID(recordName: "r", zoneID: .init(zoneName: "Z", ownerName: "_o"))
        #expect(try roundTrip(id) == id)
        #expect(try roundTrip(id.zoneID) == id.zoneID)
        let reference = CKRecord.Reference(recordID: id, action: .deleteSelf)
        #expect(try roundTrip(reference) == reference)
        #expect(try roundTrip(CKRecordZone(zoneID: id.zoneID)).zoneID == id.zoneID)
    }

    @Test func wholeRecords() throws {
        let record = CKRecord(recordType: "T", recordID: .init(recordName: "r", zoneID: .init(zoneName: "Z")))
        record["text"] = "x"
        record["number"] = 1 << 60
        record["date"] = Date(timeIntervalSinceReferenceDate: 0.123456789)
        record["list"] = ["a", "b"]
        record["place"] = CLLocation(latitude: 1.5, longitude: 2.5)
        record["ref"] = CKRecord.Reference(recordID: .init(recordName: "x"), action: .none)
        record.encryptedValues["secret"] = Data([1, 2, 3])
        record.setParent(CKRecord.ID(recordName: "p", zoneID: .init(zoneName: "Z")))
        let copy = try roundTrip(record)
        #expect(copy.recordID == record.recordID && copy.recordType == "T")
        #expect(copy.allKeys() == record.allKeys() && copy.changedKeys() == record.changedKeys())
        #expect(copy["number"] as? Int == 1 << 60)
        #expect(copy["date"] as? Date == record["date"] as? Date)
        #expect((copy["place"] as? CLLocation)?.coordinate.latitude == 1.5)
        #expect(copy["ref"] as? CKRecord.Reference == record["ref"] as? CKRecord.Reference)
        #expect(copy.encryptedValues["secret"] as? Data == Data([1, 2, 3]))
        #expect(copy.parent == record.parent)
    }

    @Test(arguments: [true, false]) func systemFieldsWithoutValues(finishes: Bool) throws {
        let record = CKRecord(recordType: "T", recordID: .init(recordName: "r"))
        record["text"] = "x"
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: archiver)
        if finishes { archiver.finishEncoding() }
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        unarchiver.requiresSecureCoding = true
        let copy = try #require(CKRecord(coder: unarchiver))
        #expect(copy.recordID == record.recordID && copy.recordType == "T")
        #expect(copy.allKeys().isEmpty && copy.changedKeys().isEmpty)
    }

    /// Programs compare what they keep of a record with what they kept before.
    @Test func systemFieldsHaveTheSameBytesEachTime() throws {
        func bytes(_ record: CKRecord) -> Data {
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            record.encodeSystemFields(with: archiver)
            archiver.finishEncoding()
            return archiver.encodedData
        }
        let zoneID = CKRecordZone.ID(zoneName: "Z")
        let root = CKRecord(recordType: "T", recordID: .init(recordName: "a<&]]>\u{1}\r\n\t'\"", zoneID: zoneID))
        root.setParent(CKRecord.ID(recordName: "p", zoneID: zoneID))
        let share = CKShare(rootRecord: root)
        share.addParticipant(.oneTimeURLParticipant())
        for record in [root, share] {
            let first = bytes(record)
            #expect((0..<20).allSatisfy { _ in bytes(record) == first })
            let copy = try #require(type(of: record).init(coder: try NSKeyedUnarchiver(forReadingFrom: first)))
            #expect(copy.recordID == record.recordID && bytes(copy) == first)
        }
    }

    /// A save would have nothing to encrypt them as.
    @Test func encryptedValuesThatNoProgramCanSetAreLeftOut() throws {
        let record = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "r"))
        record.encryptedValues["text"] = "kept"
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        record.encode(with: archiver)
        let reference = CKRecord.Reference(recordID: record.recordID, action: .none)
        archiver.encode(["link", "links", "text"] as NSArray, forKey: "StratusEncryptedValuesNames")
        archiver.encode([reference, [reference], "kept"] as NSArray, forKey: "StratusEncryptedValues")
        archiver.finishEncoding()
        let reader = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        let read = try #require(CKRecord(coder: reader))
        #expect(read.encryptedValues.allKeys() == ["text"])
    }

    @Test func notificationInfo() throws {
        let info = CKSubscription.NotificationInfo(
            alertBody: "b", titleLocalizationKey: "k", titleLocalizationArgs: ["f"], soundName: "s",
            desiredKeys: ["a", "b"], shouldBadge: true, category: "c", collapseIDKey: "i")
        #expect(try roundTrip(info) == info)
        info.alertBody = "other"
        #expect(info.alertBody == "other")
    }

    @Test func subscriptions() throws {
        let zone = CKRecordZoneSubscription(zoneID: .init(zoneName: "Z"), subscriptionID: "s")
        zone.recordType = "T"
        zone.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
        let copy = try roundTrip(zone)
        #expect(copy.zoneID == zone.zoneID && copy.recordType == "T" && copy.subscriptionID == "s")
        #expect(copy.notificationInfo?.shouldSendContentAvailable == true)
        #expect(try roundTrip(CKDatabaseSubscription(subscriptionID: "d")).subscriptionType == .database)
        let query = CKQuerySubscription(
            recordType: "T", predicate: NSPredicate(format: "a == %@ AND b > %d", "x", 3), subscriptionID: "q",
            options: [.firesOnRecordCreation, .firesOnce])
        let read = try roundTrip(query)
        #expect(read.recordType == "T" && read.querySubscriptionOptions == query.querySubscriptionOptions)
        #expect(read.predicate.predicateTree == query.predicate.predicateTree)
    }

    @Test func queries() throws {
        let query = CKQuery(recordType: "T", predicate: NSPredicate(format: "a BEGINSWITH %@", "x"))
        query.sortDescriptors = [NSSortDescriptor(key: "a", ascending: false)]
        let copy = try roundTrip(query)
        #expect(copy.recordType == "T" && copy.predicate.predicateTree == query.predicate.predicateTree)
        #expect(copy.sortDescriptors?.first?.key == "a" && copy.sortDescriptors?.first?.ascending == false)
        let unsendable = CKQuery(recordType: "T", predicate: NSPredicate(format: "a == 1 OR b ENDSWITH 'x'"))
        #expect(try roundTrip(unsendable).predicate.predicateTree == unsendable.predicate.predicateTree)
    }

    /// Saving or archiving it again would stop the program.
    @Test func subscriptionsToWhatIsNoTypeAreRefused() throws {
        let subscription = CKQuerySubscription(
            recordType: "Harmless", predicate: NSPredicate(value: true), subscriptionID: "q",
            options: .firesOnRecordCreation)
        let data = try NSKeyedArchiver.archivedData(withRootObject: subscription, requiringSecureCoding: true)
        var archive = try #require(PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        let objects = try #require(archive["$objects"] as? [Any])
        #expect(objects.contains { $0 as? String == "Harmless" })
        archive["$objects"] = objects.map { $0 as? String == "Harmless" ? "no type" : $0 }
        let damaged = try PropertyListSerialization.data(fromPropertyList: archive, format: .binary, options: 0)
        #expect((try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKQuerySubscription.self, from: damaged)) == nil)
    }

    @Test func lookups() throws {
        let info = CKUserIdentity.LookupInfo(emailAddress: "a@example.org")
        #expect(try roundTrip(info) == info)
        let group = CKOperationGroup()
        group.name = "n"
        group.quantity = 7
        let copy = try roundTrip(group)
        #expect(copy.operationGroupID == group.operationGroupID && copy.name == "n" && copy.quantity == 7)
    }

    @Test func whatElseHasSecureCoding() throws {
        let token = CKServerChangeToken("token")
        #expect(try roundTrip(token) == token)
        let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration(
            previousServerChangeToken: token, resultsLimit: 5, desiredKeys: ["a"])
        let read = try roundTrip(configuration)
        #expect(read.previousServerChangeToken == token && read.resultsLimit == 5 && read.desiredKeys == ["a"])
        let asset = CKAsset(fileURL: URL(fileURLWithPath: "/tmp/none"))
        #expect(try roundTrip(asset).fileURL == asset.fileURL)
        let notificationID = CKNotificationID("n")
        #expect(try roundTrip(notificationID) == notificationID)
        var name = PersonNameComponents()
        name.givenName = "Ada"
        name.familyName = "Lovelace"
        let person = try roundTrip(
            CKUserIdentity(
                lookupInfo: CKUserIdentity.LookupInfo(emailAddress: "ada@example.org"), nameComponents: name,
                userRecordID: CKRecord.ID(recordName: "_ada")))
        #expect(person.lookupInfo?.emailAddress == "ada@example.org" && person.userRecordID?.recordName == "_ada")
        #expect(person.nameComponents == name && person.hasiCloudAccount)
        let sort = try roundTrip(
            CKLocationSortDescriptor(key: "place", relativeLocation: CLLocation(latitude: 1, longitude: 2)))
        #expect(sort.key == "place" && sort.relativeLocation.coordinate.longitude == 2)
    }

    @Test func damagedArchivesAreRefused() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode("T" as NSString, forKey: "RecordType")
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        #expect(CKRecord(coder: unarchiver) == nil)
    }
}
