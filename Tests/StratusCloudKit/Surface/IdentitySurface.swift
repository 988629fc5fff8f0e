import CloudKit

/// People as programs look them up. Compiled, not run.
enum IdentitySurface {
    static func lookups(_ recordID: CKRecord.ID) -> Set<CKUserIdentity.LookupInfo> {
        let one = CKUserIdentity.LookupInfo(emailAddress: "ada@example.org")
        let two = CKUserIdentity.LookupInfo(phoneNumber: "+49301234567")
        let three = CKUserIdentity.LookupInfo(userRecordID: recordID)
        print(one.emailAddress as Any, two.phoneNumber as Any, three.userRecordID as Any)
        let many =
            CKUserIdentity.LookupInfo.lookupInfos(withEmails: ["ada@example.org"])
            + CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: ["+49301234567"])
            + CKUserIdentity.LookupInfo.lookupInfos(with: [recordID])
        return Set(many + [one, two, three])
    }

    static func identity(_ identity: CKUserIdentity) -> String {
        let name = identity.nameComponents?.familyName ?? identity.nameComponents?.givenName ?? "somebody"
        let lookup: CKUserIdentity.LookupInfo? = identity.lookupInfo
        print(identity.userRecordID as Any, identity.hasiCloudAccount, identity.contactIdentifiers.first as Any)
        return lookup?.emailAddress ?? name
    }

    @available(*, deprecated)
    static func operations(_ lookups: [CKUserIdentity.LookupInfo]) -> [CKOperation] {
        let some = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: lookups)
        some.userIdentityLookupInfos = lookups
        some.userIdentityDiscoveredBlock = { identity, lookup in print(identity, lookup) }
        some.discoverUserIdentitiesResultBlock = { result in print(result) }
        some.discoverUserIdentitiesCompletionBlock = { error in print(error as Any) }
        let all = CKDiscoverAllUserIdentitiesOperation()
        all.userIdentityDiscoveredBlock = { identity in print(identity) }
        all.discoverAllUserIdentitiesResultBlock = { result in print(result) }
        all.discoverAllUserIdentitiesCompletionBlock = { error in print(error as Any) }
        return [some, all]
    }
}
