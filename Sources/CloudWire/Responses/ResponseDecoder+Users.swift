import CloudModel

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
}

extension JSONReader {
    fileprivate func userIdentity() throws(CloudError) -> UserIdentity {
        let names = member("nameComponents")
        var user = UserIdentity(userRecordName: try required("userRecordName").string())
        user.givenName = try text("firstName")
        user.familyName = try text("lastName")
        if let given = try names?.text("givenName") { user.givenName = given }
        if let family = try names?.text("familyName") { user.familyName = family }
        user.emailAddress = try member("lookupInfo")?.text("emailAddress")
        return user
    }
}
