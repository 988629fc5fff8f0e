import Foundation

/// An archive with the names of classes and keys that Apple's classes write, put together by hand.
struct AppleArchive {
    private var objects: [Any] = ["$null"]
    private var classes: [String: Int] = [:]

    /// Adds an object.
    /// - Returns: what stands for it in others.
    mutating func add(_ name: String, _ members: [String: Any]) -> [String: Int] {
        var members = members
        members["$class"] = Self.uid(classNumber(name))
        return add(members)
    }

    /// Adds a text, number or date.
    mutating func add(_ value: Any) -> [String: Int] {
        objects.append(value)
        return Self.uid(objects.count - 1)
    }

    /// Stands for nil.
    static let null = uid(0)

    /// The archive with objects under keys of its own: `root` for one that was archived whole.
    func data(_ top: [String: Any]) throws -> Data {
        let archive: [String: Any] = [
            "$archiver": "NSKeyedArchiver", "$version": 100_000, "$top": top, "$objects": objects,
        ]
        return try PropertyListSerialization.data(fromPropertyList: archive, format: .xml, options: 0)
    }

    private mutating func classNumber(_ name: String) -> Int {
        if let number = classes[name] { return number }
        objects.append(["$classname": name, "$classes": [name, "NSObject"]] as [String: Any])
        classes[name] = objects.count - 1
        return objects.count - 1
    }

    /// As XML property lists write a reference within an archive.
    private static func uid(_ number: Int) -> [String: Int] { ["CF$UID": number] }
}

extension AppleArchive {
    /// A zone's name, with what newer systems add to it.
    mutating func zoneID(_ name: String, owner: String = "__defaultOwner__") -> [String: Int] {
        let members: [String: Any] = [
            "ZoneName": add(name), "ownerName": add(owner), "databaseScopeKey": 2,
            "anonymousCKUserIDKey": Self.null,
        ]
        return add("CKRecordZoneID", members)
    }

    mutating func recordID(_ name: String, _ zoneID: [String: Int]) -> [String: Int] {
        let members: [String: Any] = ["RecordName": add(name), "ZoneID": zoneID]
        return add("CKRecordID", members)
    }

    mutating func reference(to recordID: [String: Int], action: Int = 0) -> [String: Int] {
        add("CKReference", ["RecordID": recordID, "ReferenceAction": action])
    }

    mutating func date(_ seconds: Double) -> [String: Int] { add("NSDate", ["NS.time": seconds]) }

    /// What `encodeSystemFields` writes of a record that the server has.
    mutating func systemFields() -> [String: Any] {
        let zone = zoneID("Notes")
        let user = recordID("__defaultOwner__", zoneID("_defaultZone"))
        return [
            "RecordType": add("Note"), "RecordID": recordID("note", zone), "ETag": add("kx7f2q"),
            "RecordCtime": date(700_000_000.25), "RecordMtime": date(700_000_060.5), "CreatorUserRecordID": user,
            "LastModifiedUserRecordID": recordID("_carol", zoneID("_defaultZone")),
            "ModifiedByDevice": add("Carol’s iPhone"), "KnownToServer": true, "HasUpdatedParentReference": false,
            "HasUpdatedShareReference": false, "ParentReference": reference(to: recordID("folder", zone)),
            "ShareReference": reference(to: recordID("Share-1", zone)), "PreviousParentReference": Self.null,
            "WasCached": false, "ProtectionData": Self.null, "PCSKeyID": Self.null, "ShareEtag": Self.null,
        ]
    }
}
