import StratusCloudModel

extension ResponseEncoder {
    /// The answer to `users/token`.
    public func webAuthToken(_ token: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("ckWebAuthToken")
        writer.string(token)
        writer.endObject()
        return writer.bytes
    }

    /// The answer to `users/fileRoom`.
    public func fileRoom(_ room: FileRoom) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("used")
        writer.integer(room.used)
        if let available = room.available {
            writer.key("available")
            writer.integer(available)
        }
        writer.endObject()
        return writer.bytes
    }

    /// The answer to `users/caller`: the identity itself, as CloudKit JS reads it, and again as the only member of
    /// `users`, as Apple documents it.
    public func caller(_ user: UserIdentity) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writeMembers(of: user, to: &writer)
        writer.key("users")
        writer.beginArray()
        write(user, to: &writer)
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// The answer to the older `users/current`.
    public func currentUser(_ user: UserIdentity) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writeOldMembers(of: user, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// The answer to `users/discover`: those who were found.
    public func discoverUsers(_ users: [UserIdentity]) -> [UInt8] {
        list("users", users, syncToken: nil) { write($0, to: &$1) }
    }

    /// The answer to the older `users/lookup/email`, `users/lookup/phone` and `users/lookup/id`.
    public func lookupUsers(_ users: [UserIdentity]) -> [UInt8] {
        list("users", users, syncToken: nil) { writeOld($0, to: &$1) }
    }

    /// The answer to `users/lookup/contacts`, under both of the names that clients look for.
    public func contacts(_ contacts: Contacts) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for name in ["users", "contacts"] as [StaticString] {
            writer.key(name)
            writer.beginArray()
            for user in contacts.users { writeOld(user, to: &writer) }
            writer.endArray()
        }
        writer.key(WireNames.contactSalt)
        writer.string(Base64.string(contacts.salt))
        writer.endObject()
        return writer.bytes
    }

    private func write(_ user: UserIdentity, to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(of: user, to: &writer)
        writer.endObject()
    }

    private func writeMembers(of user: UserIdentity, to writer: inout JSONWriter) {
        writer.key("userRecordName")
        writer.string(user.userRecordName)
        if user.givenName != nil || user.familyName != nil {
            writer.key("nameComponents")
            writer.beginObject()
            writer.optional("givenName", user.givenName)
            writer.optional("familyName", user.familyName)
            writer.endObject()
        }
        if let lookup = user.lookupInfo {
            writer.key("lookupInfo")
            writer.userLookup(lookup)
        }
    }

    private func writeOld(_ user: UserIdentity, to writer: inout JSONWriter) {
        writer.beginObject()
        writeOldMembers(of: user, to: &writer)
        switch user.lookupInfo {
        case .emailAddress(let text): writer.optional("emailAddress", text)
        case .phoneNumber(let text): writer.optional("phoneNumber", text)
        case .contactHash(let hash): writer.optional(WireNames.contactHash, Base64.string(hash))
        case .userRecordName, nil: break
        }
        writer.endObject()
    }

    private func writeOldMembers(of user: UserIdentity, to writer: inout JSONWriter) {
        writer.key("userRecordName")
        writer.string(user.userRecordName)
        writer.optional("firstName", user.givenName)
        writer.optional("lastName", user.familyName)
    }
}
