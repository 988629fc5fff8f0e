import StratusCloudModel

extension ResponseDecoder {
    /// The answer to `users/caller`, in either of its shapes, or to `users/current`.
    public func user(_ body: [UInt8]) throws(CloudError) -> UserIdentity {
        try read(body) { (body) throws(CloudError) in
            guard body.member("userRecordName") == nil, let list = body.member("users") else {
                return try body.userIdentity()
            }
            for user in try list.elements() { return try user.userIdentity() }
            throw list.refusal("is empty")
        }
    }

    /// The answer to `users/discover` or one of the older lookups.
    public func users(_ body: [UInt8]) throws(CloudError) -> [UserIdentity] {
        try read(body) { (body) throws(CloudError) in
            try read("users", of: body) { (item) throws(CloudError) in try item.userIdentity() }
        }
    }

    /// The answer to `users/token`.
    public func webAuthToken(_ body: [UInt8]) throws(CloudError) -> String {
        try read(body) { (body) throws(CloudError) in try body.required("ckWebAuthToken").string() }
    }

    /// The answer to `users/lookup/contacts`.
    public func contacts(_ body: [UInt8]) throws(CloudError) -> Contacts {
        let users = try users(body)
        return try read(body) { (body) throws(CloudError) in
            let salt = try body.required(WireNames.contactSalt)
            guard let bytes = Base64.decode(try salt.string()) else { throw salt.refusal("must be base64 text") }
            return Contacts(users: users, salt: bytes)
        }
    }
}

extension JSONReader {
    fileprivate func userIdentity() throws(CloudError) -> UserIdentity {
        let names = member("nameComponents")
        var user = UserIdentity(userRecordName: try required("userRecordName").string())
        user.givenName = try text("firstName")
        user.familyName = try text("lastName")
        if let given = try names?.text("givenName") { user.givenName = given }
        if let family = try names?.text("familyName") { user.familyName = family }
        if let info = member("lookupInfo") {
            user.lookupInfo = try info.foundBy(besideName: false)
        } else {
            user.lookupInfo = try foundBy(besideName: true)
        }
        return user
    }

    /// How a user was found. The older answers have it beside the name, where the name alone says nothing.
    private func foundBy(besideName: Bool) throws(CloudError) -> UserLookup? {
        if let text = try text("emailAddress") { return .emailAddress(text) }
        if let text = try text("phoneNumber") { return .phoneNumber(text) }
        if let hash = member(WireNames.contactHash) { return .contactHash(Base64.decode(try hash.string()) ?? []) }
        guard !besideName, let text = try text("userRecordName") else { return nil }
        return .userRecordName(text)
    }
}
