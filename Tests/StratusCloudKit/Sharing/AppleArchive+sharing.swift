import Foundation

/// What Apple's classes write of shares.
extension AppleArchive {
    mutating func personName(_ given: String?, _ family: String?) -> [String: Int] {
        let parts: [String: Any] = [
            "NS.givenName": given.map { add($0) } ?? Self.null, "NS.familyName": family.map { add($0) } ?? Self.null,
            "NS.middleName": Self.null, "NS.namePrefix": Self.null, "NS.nameSuffix": Self.null,
            "NS.nickname": Self.null, "NS.phoneticRepresentation": Self.null,
        ]
        let data = add("_NSPersonNameComponentsData", parts)
        return add("NSPersonNameComponents", ["NS.nameComponentsPrivate": data])
    }

    /// A person, by address or by user record.
    mutating func identity(_ user: String, email: String?, _ name: [String: Int]) -> [String: Int] {
        let userID = recordID(user, zoneID("_defaultZone"))
        let lookup: [String: Any] = [
            "EmailAddress": email.map { add($0) } ?? Self.null, "PhoneNumber": Self.null,
            "RecordID": email == nil ? userID : Self.null, "ReportsMissing": false,
        ]
        let parts: [String: Any] = [
            "UserRecordID": userID, "LookupInfo": add("CKUserIdentityLookupInfo", lookup), "NameComponents": name,
            "HasICloudAccount": true, "IsCached": false, "ContactIdentifiers": list([], "NSArray"),
            "ProtectionData": add(Data([1])), "EncryptedPersonalInfo": Self.null,
        ]
        return add("CKUserIdentity", parts)
    }

    mutating func participant(
        _ id: String, _ identity: [String: Int], type: Int, permission: Int, status: Int, isCurrentUser: Bool
    ) -> [String: Int] {
        let parts: [String: Any] = [
            "ParticipantID": add(id), "UserIdentity": identity, "Type": type, "Permission": permission,
            "AcceptanceStatus": status, "IsCurrentUser": isCurrentUser, "OriginalPermission": 2,
            "OriginalParticipantType": 3, "OriginalAcceptanceStatus": 1, "CreatedInProcess": false,
            "InvitationToken": Self.null, "ProtectionInfo": add(Data([2])),
        ]
        return add("CKShareParticipant", parts)
    }

    /// Owned by Ada; Bob, the current user, is invited.
    mutating func participants() -> [String: Int] {
        let ada = identity("_ada", email: "ada@example.org", personName("Ada", "Lovelace"))
        let bob = identity("_bob", email: nil, personName(nil, nil))
        return list([
            participant("P1", ada, type: 1, permission: 3, status: 2, isCurrentUser: false),
            participant("P2", bob, type: 3, permission: 2, status: 1, isCurrentUser: true),
        ])
    }

    mutating func containerID() -> [String: Int] {
        add("CKContainerID", ["ContainerIdentifier": add("iCloud.org.example"), "Environment": 2])
    }

    /// The members of a share that was fetched.
    mutating func shareMembers() -> [String: Any] {
        var members = systemFields()
        members["RecordType"] = add("cloudkit.share")
        members["RecordID"] = recordID("Share-1", zoneID("Notes", owner: "_ada"))
        members["ParentReference"] = Self.null
        members["ShareReference"] = Self.null
        members["ValueStore"] = valueStore([("cloudkit.title", add("Trip"))])
        members["EncryptedValueStore"] = valueStore([], changed: [], "CKEncryptedRecordValueStore")
        members["Participants"] = participants()
        members["LastFetchedParticipants"] = participants()
        members["AddedParticipantIDs"] = list([], "NSMutableSet")
        members["PublicPermission"] = 2
        members["RootRecordID"] = Self.null
        members["ContainerID"] = containerID()
        members["MutableEncryptedPublicSharingKey"] = add("CKEncryptedData", ["EncryptedData": add(Data([3]))])
        let url = add("https://www.icloud.com/share/0abc#Trip")
        members["URL"] = add("NSURL", ["NS.base": Self.null, "NS.relative": url])
        return members
    }

    mutating func metadata() -> [String: Int] {
        let parts: [String: Any] = [
            "ContainerID": containerID(), "Share": add("CKShare", shareMembers()),
            "OwnerIdentity": identity("_ada", email: "ada@example.org", personName("Ada", "Lovelace")),
            "RootRecordID": recordID("root", zoneID("Notes", owner: "_ada")), "RootRecord": Self.null,
            "ParticipantType": 3, "ParticipantStatus": 1, "ParticipantPermission": 2, "PublicToken": Self.null,
            "CallingParticipant": Self.null,
        ]
        return add("CKShareMetadata", parts)
    }
}
