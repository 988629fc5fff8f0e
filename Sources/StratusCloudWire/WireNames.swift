import StratusCloudModel

/// Words of the wire that several places share.
enum WireNames {
    /// Owners that mean the caller, as clients spell them.
    static let callerOwners: [StaticString] = ["", "_defaultOwner", "__defaultOwner__"]
    /// The owner shown where nobody is signed in.
    static let defaultOwner: StaticString = "_defaultOwner"
    static let numbersAsStrings: StaticString = "numbersAsStrings"
    /// Beside the milliseconds of a date, its seconds since 2001-01-01 UTC with every bit, where milliseconds cannot
    /// express them. An extension of the protocol: a number, in lists an array of numbers and nulls.
    static let exactReferenceSeconds: StaticString = "exactReferenceSeconds"
    /// In an error of a record, the stored record. An extension of the protocol.
    static let serverRecord: StaticString = "serverRecord"
    /// In a request for contacts, the address book to keep; in its answer, what the hashes are made with, and beside
    /// each user the hash that found them. Extensions of the protocol.
    static let contactHashes: StaticString = "contactHashes"
    static let contactSalt: StaticString = "contactSalt"
    static let contactHash: StaticString = "contactHash"
    /// In a change feed's item of a deleted record, the type that the record had. An extension of the protocol.
    static let deletedRecordType: StaticString = "deletedRecordType"
    /// In a modification, bytes of the client's own; in the feed of the zone, those of the same client's latest. An extension
    /// of the protocol.
    static let clientChangeToken: StaticString = "clientChangeToken"
    /// Beside the deletion of a zone, in requests and answers, why; absent for an ordinary one. An extension of the
    /// protocol.
    static let deletionReason: StaticString = "deletionReason"
    /// Beside a participant with a link of their own, what that link is made of. An extension of the protocol.
    static let oneTimeShortGUID: StaticString = "oneTimeShortGUID"
    /// In an error, what its code does not say. Apple's own client passes it on.
    static let extensionErrorCode: StaticString = "extensionErrorCode"
}

extension ScalarType {
    /// The `type` beside a value in answers.
    func wireName(isList: Bool, isEncrypted: Bool) -> StaticString {
        switch (self, isList) {
        case (.string, false): "STRING"
        case (.string, true): "STRING_LIST"
        case (.int64, false): "INT64"
        case (.int64, true): "INT64_LIST"
        case (.double, false): "DOUBLE"
        case (.double, true): "DOUBLE_LIST"
        case (.timestamp, false): "TIMESTAMP"
        case (.timestamp, true): "TIMESTAMP_LIST"
        case (.bytes, false): isEncrypted ? "ENCRYPTED_BYTES" : "BYTES"
        case (.bytes, true): isEncrypted ? "ENCRYPTED_BYTES_LIST" : "BYTES_LIST"
        case (.location, false): "LOCATION"
        case (.location, true): "LOCATION_LIST"
        case (.reference, false): "REFERENCE"
        case (.reference, true): "REFERENCE_LIST"
        case (.asset, false): "ASSETID"
        case (.asset, true): "ASSETID_LIST"
        }
    }
}

extension DeclaredType {
    /// Reads a `type`, with the spellings clients really send; an `ENCRYPTED_` in front says that the field is
    /// encrypted. nil if the word is not known.
    static func named(_ name: String) -> (type: DeclaredType, isEncrypted: Bool)? {
        let prefix = "ENCRYPTED_"
        let suffix = "_LIST"
        let isEncrypted = name.hasPrefix(prefix)
        var word = Substring(name)
        if isEncrypted { word = word.dropFirst(prefix.count) }
        if word == "LIST" || word == "UNKNOWN_LIST" { return (.list(nil), isEncrypted) }
        let isList = word.hasSuffix(suffix)
        if isList { word = word.dropLast(suffix.count) }
        guard let type = ScalarType(wireName: word) else { return nil }
        return (isList ? .list(type) : .scalar(type), isEncrypted)
    }
}

extension ScalarType {
    /// Reads the name of a type in any spelling clients send.
    init?(wireName: Substring) {
        switch wireName {
        case "STRING": self = .string
        case "INT64", "INT": self = .int64
        case "DOUBLE": self = .double
        case "TIMESTAMP", "DATETIME": self = .timestamp
        case "BYTES", "BYTE": self = .bytes
        case "LOCATION": self = .location
        case "REFERENCE": self = .reference
        case "ASSET", "ASSETID": self = .asset
        default: return nil
        }
    }
}
