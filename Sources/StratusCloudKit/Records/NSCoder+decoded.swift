import Foundation
import StratusCoreLocation

/// Lets archives that Apple's classes wrote, whose class names have no module, be read.
enum ArchiveNames {
    private static let registered: Void = {
        let classes: [(AnyClass, String)] = [
            (CKRecordID.self, "CKRecordID"), (CKRecordZoneID.self, "CKRecordZoneID"),
            (CKRecordReference.self, "CKReference"), (CKRecord.self, "CKRecord"),
            (CKShare.self, "CKShare"),
            (CKServerChangeToken.self, "CKServerChangeToken"),
        ]
        for entry in classes { NSKeyedUnarchiver.setClass(entry.0, forClassName: entry.1) }
        CLLocation.registerAppleArchiveNames()
    }()

    /// Makes the names known to all unarchivers of the process; does nothing the second time.
    static func register() { registered }
}

extension NSCoder {
    /// The object of a key; nil if there is none, or one of another class.
    func decoded<Value: NSObject & NSCoding>(_ type: Value.Type, _ key: String) -> Value? {
        guard prepareToDecode(key) else { return nil }
        return decodeObject(of: type, forKey: key)
    }

    /// The object of a key, with objects of some classes in it; nil if there is none, or one of another class.
    func decoded(_ classes: [AnyClass], _ key: String) -> Any? {
        guard prepareToDecode(key) else { return nil }
        return decodeObject(of: classes, forKey: key)
    }

    /// On Linux the decoding of a missing key stops the program where the unarchiver is not told otherwise.
    private func prepareToDecode(_ key: String) -> Bool {
        ArchiveNames.register()
        return containsValue(forKey: key)
    }
}
