/// How a key-value store lies in the private database: a zone for each store, a record for each key.
///
/// Devices and the service share these definitions. The service holds the rules for every client
/// (`KeyValueStoreZone`); Documentation/sdk/key-value-store.md describes the records.
public enum KeyValueFormat {
    /// Name of the zone of the default store; other stores append a dot and their identifier.
    public static let zoneName = "_keyValueStore"
    /// Type of the records, one for each key that has or had a value.
    public static let recordType = "StratusKeyValue"
    /// Field with the key.
    public static let keyField = "key"
    /// Field with the value as a property list. A record without it stands for a key that was removed.
    public static let valueField = "value"
    /// Field with the milliseconds that passed between the change on the device and the save. The time of the change is
    /// the record's modification time less this, so that only the server's clock counts.
    public static let ageField = "age"

    /// Keys with a value in one store.
    public static let keysPerStore = 1_024
    /// Bytes of all values of one store, as binary property lists: 1 MiB.
    public static let storeSize = 1_048_576
    /// Bytes of one value, as a binary property list: 1 MiB.
    public static let valueSize = 1_048_576
    /// Bytes of a key in UTF-8.
    public static let keyLength = 64
    /// Removed keys that a store remembers, so that an older change of another device does not bring them back.
    public static let removedKeysPerStore = 1_024
    /// The longest age of a change, in milliseconds: 100 years of 365.25 days.
    public static let longestAge: Int64 = 3_155_760_000_000
    /// Stores of one private database, the default one included.
    public static let storesPerDatabase = 100
    /// Characters of a store's identifier.
    public static let identifierLength = 128

    /// The zone of a store, nil being the default one.
    /// - Returns: nil for an identifier that is empty, longer than ``identifierLength``, or has anything but ASCII
    ///   letters, digits, hyphens, underscores and dots.
    public static func zoneName(ofStore identifier: String?) -> String? {
        guard let identifier else { return zoneName }
        guard isIdentifier(identifier.utf8) else { return nil }
        return zoneName + "." + identifier
    }

    /// Whether a zone holds a key-value store.
    public static func isZoneName(_ name: String) -> Bool {
        if name == zoneName { return true }
        guard name.utf8.starts(with: zoneName.utf8) else { return false }
        let rest = name.utf8.dropFirst(zoneName.utf8.count)
        return rest.first == UInt8(ascii: ".") && isIdentifier(rest.dropFirst())
    }

    /// The name of a key's record: `k.` and the key, of which everything but ASCII letters, digits and hyphens is
    /// written as `%` and two hexadecimal digits a byte.
    public static func recordName(forKey key: String) -> String {
        var name = Array("k.".utf8)
        for byte in key.utf8 {
            if isPlain(byte) {
                name.append(byte)
            } else {
                name.append(UInt8(ascii: "%"))
                name.append(hexDigits[Int(byte >> 4)])
                name.append(hexDigits[Int(byte & 15)])
            }
        }
        return String(decoding: name, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func isIdentifier(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.count <= identifierLength
            && bytes.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") }
    }
}
