import Foundation
import StratusCoreLocation

/// Names in archives. Those of the system fields are Apple's, so that archives of its classes can be read.
private enum ArchiveKey {
    static let changeTag = "ETag"
    static let creationDate = "RecordCtime"
    static let creator = "CreatorUserRecordID"
    static let modificationDate = "RecordMtime"
    static let modifier = "LastModifiedUserRecordID"
    static let device = "ModifiedByDevice"
    static let parent = "ParentReference"
    static let isParentChanged = "HasUpdatedParentReference"
    static let share = "ShareReference"
    static let isKnown = "KnownToServer"
    static let values = "StratusValues"
    /// Behind the key of values: that of their names.
    static let names = "Names"
    static let changedKeys = "StratusChangedKeys"
    static let encryptedValues = "StratusEncryptedValues"
    static let changedEncryptedKeys = "StratusChangedEncryptedKeys"
    /// Apple's, which hold values and changed keys.
    static let valueStore = "ValueStore"
    static let encryptedValueStore = "EncryptedValueStore"
}

extension RecordState {
    func encodeSystemFields(with coder: NSCoder) {
        coder.encode(server.changeTag as NSString?, forKey: ArchiveKey.changeTag)
        coder.encode(server.creationDate as NSDate?, forKey: ArchiveKey.creationDate)
        coder.encode(server.creator, forKey: ArchiveKey.creator)
        coder.encode(server.modificationDate as NSDate?, forKey: ArchiveKey.modificationDate)
        coder.encode(server.modifier, forKey: ArchiveKey.modifier)
        coder.encode(server.device as NSString?, forKey: ArchiveKey.device)
        coder.encode(parent, forKey: ArchiveKey.parent)
        coder.encode(share, forKey: ArchiveKey.share)
        coder.encode(isKnown, forKey: ArchiveKey.isKnown)
        sharing?.encode(with: coder)
    }

    func encodeValues(with coder: NSCoder) {
        coder.encode(isParentChanged, forKey: ArchiveKey.isParentChanged)
        plain.encodeValues(with: coder, ArchiveKey.values)
        coder.encode(plain.changedKeyArray, forKey: ArchiveKey.changedKeys)
        encrypted.encodeValues(with: coder, ArchiveKey.encryptedValues)
        coder.encode(encrypted.changedKeyArray, forKey: ArchiveKey.changedEncryptedKeys)
    }

    init(coder: NSCoder) {
        func text(_ key: String) -> String? { coder.decoded(NSString.self, key) as String? }
        func date(_ key: String) -> Date? { coder.decoded(NSDate.self, key) as Date? }
        server = Server(
            changeTag: text(ArchiveKey.changeTag), creationDate: date(ArchiveKey.creationDate),
            creator: coder.decoded(CKRecordID.self, ArchiveKey.creator),
            modificationDate: date(ArchiveKey.modificationDate),
            modifier: coder.decoded(CKRecordID.self, ArchiveKey.modifier),
            device: text(ArchiveKey.device))
        parent = coder.decoded(CKRecordReference.self, ArchiveKey.parent)
        share = coder.decoded(CKRecordReference.self, ArchiveKey.share)
        sharing = ShareState(coder: coder)
        isParentChanged =
            coder.containsValue(forKey: ArchiveKey.isParentChanged)
            && coder.decodeBool(forKey: ArchiveKey.isParentChanged)
        // Programs cannot set encrypted values of some kinds, so an archive that has them is not to be believed.
        func isEncryptable(_ value: RecordValue) -> Bool { !value.isUnencryptable }
        if coder.containsValue(forKey: ArchiveKey.valueStore) {
            plain = RecordFields(coder.decoded(ArchivedValueStore.self, ArchiveKey.valueStore))
            encrypted = RecordFields(
                coder.decoded(ArchivedValueStore.self, ArchiveKey.encryptedValueStore), where: isEncryptable)
        } else {
            plain = RecordFields(coder: coder, ArchiveKey.values, ArchiveKey.changedKeys)
            encrypted = RecordFields(
                coder: coder, ArchiveKey.encryptedValues, ArchiveKey.changedEncryptedKeys, where: isEncryptable)
        }
    }
}

extension RecordFields {
    /// The classes of values in archives.
    static let valueClasses: [AnyClass] = [
        NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSData.self, CLLocation.self,
        CKRecordReference.self, CKRecordID.self, CKRecordZoneID.self, CKAsset.self,
    ]

    /// Those of an archive of Apple's; none where it has none.
    fileprivate init(_ store: ArchivedValueStore?, where isAllowed: (RecordValue) -> Bool = { _ in true }) {
        self.init(fetched: store?.values.filter { isAllowed($0.value) } ?? [:])
        markChanged(store?.changedKeys ?? [])
    }

    /// As two lists: on Linux a dictionary of an archive in which a value cannot be read ends the program when it is looked
    /// at.
    fileprivate func encodeValues(with coder: NSCoder, _ key: String) {
        let names = values.keys.sorted()
        coder.encode(NSArray(array: names.map { $0 as NSString }), forKey: key + ArchiveKey.names)
        coder.encode(NSArray(array: names.compactMap { values[$0]?.object }), forKey: key)
    }

    fileprivate var changedKeyArray: NSArray { NSArray(array: changes.keys.sorted().map { $0 as NSString }) }

    fileprivate init(
        coder: NSCoder, _ valuesKey: String, _ changedKey: String,
        where isAllowed: (RecordValue) -> Bool = { _ in true }
    ) {
        self.init()
        guard coder.containsValue(forKey: valuesKey),
            let objects = coder.decoded(Self.valueClasses, valuesKey) as? NSArray,
            let names = coder.decoded([NSArray.self, NSString.self], valuesKey + ArchiveKey.names) as? NSArray,
            names.count == objects.count
        else { return }
        var values: [String: RecordValue] = [:]
        for (key, object) in zip(names, objects) {
            guard let key = key as? String, FieldName.isKey(key), let value = RecordValue(object), isAllowed(value)
            else { continue }
            values[key] = value
        }
        self.init(fetched: values)
        let keys = coder.decoded([NSArray.self, NSString.self], changedKey) as? NSArray
        markChanged((keys?.compactMap { $0 as? String } ?? []).filter(FieldName.isKey))
    }
}
