import CloudModel

extension ResponseEncoder {
    /// The answer to `users/caller`: the identity itself, as CloudKit JS reads it, and again as the only member of
    /// `users`, as Apple documents it.
    public func caller(_ user: UserIdentity) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writeMembers(of: user, to: &writer)
        writer.key("users")
        writer.beginArray()
        writer.beginObject()
        writeMembers(of: user, to: &writer)
        writer.endObject()
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// The answer to the older `users/current`.
    public func currentUser(_ user: UserIdentity) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("userRecordName")
        writer.string(user.userRecordName)
        writer.optional("firstName", user.givenName)
        writer.optional("lastName", user.familyName)
        writer.endObject()
        return writer.bytes
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
        if let address = user.emailAddress {
            writer.key("lookupInfo")
            writer.beginObject()
            writer.key("emailAddress")
            writer.string(address)
            writer.endObject()
        }
    }
}
