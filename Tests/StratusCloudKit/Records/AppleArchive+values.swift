import Foundation

extension AppleArchive {
    /// A list, set or dictionary's values: objects under numbers.
    mutating func list(_ objects: [[String: Int]], _ name: String = "NSMutableArray") -> [String: Int] {
        add(name, ["NS.objects": objects])
    }

    mutating func dictionary(
        _ members: [(String, [String: Int])], _ name: String = "NSMutableDictionary"
    ) -> [String: Int] {
        let keys = members.map { add($0.0) }
        return add(name, ["NS.keys": keys, "NS.objects": members.map(\.1)])
    }

    /// The values of a record.
    mutating func valueStore(
        _ members: [(String, [String: Int])], changed: [String] = [], _ name: String = "CKRecordValueStore"
    ) -> [String: Int] {
        let keys = changed.map { add($0) }
        let parts: [String: Any] = [
            "RecordValues": dictionary(members), "OriginalValues": dictionary([]),
            "ChangedKeys": list(keys, "NSMutableSet"),
        ]
        return add(name, parts)
    }

    /// A file that was fetched.
    mutating func asset(_ url: String?) -> [String: Int] {
        let file = url.map { add("NSURL", ["NS.base": Self.null, "NS.relative": add($0)]) }
        let parts: [String: Any] = [
            "AssetFileURL": file ?? Self.null, "AssetSize": 1_234, "AssetHasSize": true,
            "AssetSignature": add(Data([1, 2])), "AssetUUID": add("A1B2C3D4"), "AssetUploadReceiptExpiration": 0.0,
        ]
        return add("CKAsset", parts)
    }

    mutating func location(_ latitude: Double, _ longitude: Double) -> [String: Int] {
        let parts: [String: Any] = [
            "kCLLocationCodingKeyCoordinateLatitude": latitude,
            "kCLLocationCodingKeyCoordinateLongitude": longitude, "kCLLocationCodingKeyTimestamp": 700_000_000.5,
        ]
        return add("CLLocation", parts)
    }

    /// A record that was archived whole.
    mutating func record(
        _ values: [String: Int], encrypted: [String: Int] = AppleArchive.null, _ name: String = "CKRecord"
    ) -> [String: Int] {
        var members = systemFields()
        members["ValueStore"] = values
        members["EncryptedValueStore"] = encrypted
        members["Permission"] = 1
        return add(name, members)
    }
}
