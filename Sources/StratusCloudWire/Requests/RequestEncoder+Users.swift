import StratusCloudModel

extension RequestEncoder {
    /// `users/discover`.
    public func discoverUsers(_ lookups: [UserLookup]) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.key("lookupInfos")
            writer.beginArray()
            for lookup in lookups { writer.userLookup(lookup) }
            writer.endArray()
        }
    }

    /// `users/token`: a web auth token for another client, by the API token that it uses.
    public func webAuthToken(forAPIToken apiToken: String) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in writer.optional("apiToken", apiToken) }
    }

    /// `users/lookup/contacts`; nil leaves the address book that the server keeps.
    public func contacts(_ hashes: [[UInt8]]?) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.optional(WireNames.contactHashes, hashes?.map { Base64.string($0) })
        }
    }
}

extension JSONWriter {
    /// The dictionary of one word about a person.
    mutating func userLookup(_ lookup: UserLookup) {
        beginObject()
        switch lookup {
        case .emailAddress(let text): optional("emailAddress", text)
        case .phoneNumber(let text): optional("phoneNumber", text)
        case .userRecordName(let text): optional("userRecordName", text)
        case .contactHash(let hash): optional(WireNames.contactHash, Base64.string(hash))
        }
        endObject()
    }
}
