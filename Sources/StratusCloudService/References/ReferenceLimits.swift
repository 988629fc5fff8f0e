/// Limits of references. The documentation quotes this file.
public enum ReferenceLimits {
    /// Records that may refer to one target with `DELETE_SELF`: of everybody together in a private database, of each
    /// author in a public one.
    public static let deleteSelfSources = 750
    /// Targets that one record may refer to with `DELETE_SELF`, with `VALIDATE`, or as its parent.
    public static let targetsPerRecord = 1_000
    /// Records that are looked at, upwards from a record that has children, when it gets another parent.
    public static let parentChain = 1_000
}

/// Bounds of the work of one transaction. The documentation quotes the standard ones; tests make them small.
struct CascadeWork: Hashable, Sendable {
    /// Records that one transaction deletes because of what they refer to. A cascade that reaches more goes on in
    /// further transactions.
    var recordsPerStep = 1_000
    /// Bytes of such records, as stored, that one transaction reads.
    var bytesPerStep = 32 * 1_048_576
    /// Records read at once.
    var recordsPerFetch = 50
    /// Deleted targets whose holders one transaction takes up again.
    var targetsPerStep = 100
    /// `DELETE_SELF` references that one transaction follows.
    var referencesPerStep = 20_000
    /// `DELETE_SELF` references to one target that one transaction reads.
    var goersPerRead = 1_000
    /// References that hold a target, read at once.
    var holdsPerRead = 256
}
