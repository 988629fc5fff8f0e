/// Where a value stands. All of it is authenticated with the value, so that one that is put elsewhere does not open.
struct ValuePlace: Hashable, Sendable {
    /// The container, and the person to whose private database the zone belongs.
    var account: AccountPlace
    var zoneName: String
    var recordType: String
    var recordName: String
    var field: String

    func additionalData(header: [UInt8]) -> [UInt8] {
        Frames("stratus.value.v1").adding(header).adding(
            account.container, account.user, zoneName, recordType, recordName, field
        ).bytes
    }
}

/// Whose keys they are: one person in one container. The person's name differs between the environments of a container,
/// so it says which of them is meant.
struct AccountPlace: Hashable, Sendable {
    var container: String
    /// User record name, never ``CKCurrentUserDefaultName``.
    var user: String
}
