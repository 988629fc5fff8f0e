import StratusCloudModel

extension RequestDecoder {
    /// `users/discover`: at most ``operationLimit`` people, each by one word about them; nil asks for all whom the
    /// caller knows.
    public func discoverUsers(_ body: [UInt8]) throws(CloudError) -> [UserLookup]? {
        guard let list = try open(body).member("lookupInfos") else { return nil }
        var lookups: [UserLookup] = []
        for element in try bounded(list, "lookupInfos") { lookups.append(try element.userLookup()) }
        return lookups
    }

    /// `users/lookup/email`, `users/lookup/phone`, `users/lookup/id`: as ``discoverUsers(_:)``, where each names the
    /// person in the way that the path says.
    public func lookupUsers(_ body: [UInt8], by kind: UserLookupKind) throws(CloudError) -> [UserLookup] {
        let list = try open(body).required("users")
        var lookups: [UserLookup] = []
        for element in try bounded(list, "users") { lookups.append(try element.userLookup(kind)) }
        return lookups
    }

    /// `users/token`: the API token that the web auth token will be used with.
    public func webAuthToken(_ body: [UInt8]) throws(CloudError) -> String {
        try open(body).required("apiToken").string()
    }

    /// `users/lookup/contacts`: the address book to keep from now on, as salted hashes; nil leaves the kept one.
    public func contacts(_ body: [UInt8]) throws(CloudError) -> [[UInt8]]? {
        guard let list = try open(body).member(WireNames.contactHashes) else { return nil }
        let elements = try list.elements()
        guard list.count <= ModelLimits.contactsPerUser else {
            throw list.refusal("has \(list.count) hashes; the limit is \(ModelLimits.contactsPerUser)")
        }
        var hashes: [[UInt8]] = []
        hashes.reserveCapacity(list.count)
        for element in elements {
            guard let hash = Base64.decode(try element.string()), hash.count == ModelLimits.contactHashLength else {
                throw element.refusal("must be the base64 text of a SHA-256")
            }
            hashes.append(hash)
        }
        return hashes
    }
}

/// The ways to name a person in the older lookups.
public enum UserLookupKind: Hashable, Sendable {
    case emailAddress, phoneNumber, userRecordName
}

extension JSONReader {
    func userLookup() throws(CloudError) -> UserLookup {
        try requireObject()
        for kind in [UserLookupKind.userRecordName, .emailAddress, .phoneNumber] where member(kind.key) != nil {
            return try userLookup(kind)
        }
        throw refusal("names nobody: it must have emailAddress, phoneNumber or userRecordName")
    }

    func userLookup(_ kind: UserLookupKind) throws(CloudError) -> UserLookup {
        let text = try required(kind.key).string()
        return switch kind {
        case .emailAddress: .emailAddress(text)
        case .phoneNumber: .phoneNumber(text)
        case .userRecordName: .userRecordName(text)
        }
    }
}

extension UserLookupKind {
    var key: StaticString {
        switch self {
        case .emailAddress: "emailAddress"
        case .phoneNumber: "phoneNumber"
        case .userRecordName: "userRecordName"
        }
    }
}
