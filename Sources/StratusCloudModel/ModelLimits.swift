/// Limits that clients and server share. The documentation quotes this file.
public enum ModelLimits {
    /// Characters in a record, zone, record type or field name.
    public static let nameLength = 255
    /// Operations in one modify request, and names in one lookup.
    public static let operationsPerRequest = 200
    /// The same for clients of the native API, where Apple allows twice as many.
    public static let nativeOperationsPerRequest = 400
    /// Characters of the name of a request that may be sent again.
    public static let requestIDLength = 64
    /// Bytes that a client may give with a modification for its feed to give back.
    public static let clientChangeTokenSize = 1_024
    /// Fields in one `assets/upload` or `assets/rereference`.
    public static let assetsPerRequest = 200
    /// Records in one answer.
    public static let recordsPerResponse = 200
    /// Bytes of one record without its assets.
    public static let recordSize = 1_048_576
    /// Filters in one query.
    public static let filtersPerQuery = 64
    /// Sort keys in one query.
    public static let sortsPerQuery = 16
    /// Values in the list of an IN, NOT_IN or LIST_CONTAINS_ANY filter.
    public static let valuesPerFilter = 250
    /// Names in the `desiredKeys` or `desiredRecordTypes` of one zone's changes.
    public static let desiredNames = 1_000
    /// Fields of one record type.
    public static let fieldsPerRecordType = 1_000
    /// Participants of one share who were invited, its owner included.
    public static let participantsPerShare = 100
    /// People who came into one share by its public link.
    public static let publicParticipantsPerShare = 10_000
    /// Bytes of what devices keep with a share for the keys of encrypted values.
    public static let shareEnvelopeSize = 131_072
    /// Bytes of what is kept there for one participant: what the participant wrote, and what the owner wrote.
    public static let shareKeySize = 512
    /// Participants of one share for whom something is kept there; others are refused.
    public static let keyMembersPerShare = 1_000
    /// Hashes in one user's address book.
    public static let contactsPerUser = 5_000
    /// Bytes of such a hash: SHA-256.
    public static let contactHashLength = 32
    /// Radius in metres beyond which a NEAR filter means the whole earth: half the equator's length, rounded up.
    public static let greatestDistance = 20_040_000.0
    /// Fields whose values travel with a notification (`desiredKeys`, `additionalFields`).
    public static let fieldsPerNotification = 3
    /// Field names that fill one text of a notification.
    public static let argumentsPerText = 16
    /// Bytes of a notification as it is sent; what is beyond is pruned.
    public static let notificationSize = 4_096
}
