/// Bounds of what indexes hold. The documentation quotes this file. A change of one needs new indexes.
enum QueryLimits {
    /// Bytes of a text, or of a value of type BYTES, that stand in an index key. Values that agree in them are told apart
    /// by the record.
    static let indexedValueSize = 256
    /// Bytes of a word in the token index; the rest of longer words is ignored.
    static let tokenSize = 64
    /// Distinct words of a field's value in the token index; later words of longer texts are not found.
    static let tokensPerValue = 4_096
    /// Bytes of such a value that decide its place in a sorted answer; they travel in the continuation marker.
    static let sortedValueSize = 2_048
    /// Key ranges that cover a circle on the earth.
    static let rangesPerCircle = 32
    /// Key ranges that cover a ring, which is thin where many records lie inside it.
    static let rangesPerRing = 128
}

/// Bounds of the work of one page. The documentation quotes the standard ones; tests make them small.
struct QueryWork: Hashable, Sendable {
    /// Index keys that one page reads before it ends short, with a marker.
    var keysPerPage = 50_000
    /// Records that one page reads before it ends short, with a marker.
    var recordsPerPage = 5_000
    /// Bytes of records in one page, after which it ends short, with a marker.
    var bytesPerPage = 16 * 1_048_576
    /// Records fetched from the store at once.
    var recordsPerFetch = 100
    /// Index keys read at once.
    var keysPerRead = 1_024
    /// Keys of one cell read at once; a cell that has more is not listed, but walked.
    var keysPerCell = 256
    /// How many keys of each candidate range a planner reads to find the smallest, in turns.
    var probes = [64, 512]
    /// Ranges that a planner compares.
    var probedRanges = 16
    /// Records that are sorted in memory rather than found in the order of an index.
    var recordsSortedInMemory = 4_096
    /// Records whose texts or bytes agree in ``QueryLimits/indexedValueSize`` bytes and that can still be sorted.
    var recordsOfOnePrefix = 20_000
    /// Fields that a query looks for in each record up to which the records' fields stay packed: then each look passes over
    /// the fields before it.
    var looksAtPackedFields = 8
    /// Keys that one zone of a query over many may read however many zones there are.
    var leastKeysPerZone = 64
}
