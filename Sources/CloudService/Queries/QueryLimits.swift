/// Bounds of indexes and of the work of one page. The documentation quotes this file.
enum QueryLimits {
    /// Bytes of a text that stand in an index key. Texts that agree in them are told apart by the record.
    static let indexedTextSize = 256
    /// Bytes of a text that decide its place in a sorted answer; they travel in the continuation marker.
    static let sortedTextSize = 2_048
    /// Bytes of a word in the token index; the rest of longer words is ignored.
    static let tokenSize = 64
    /// Distinct words of a field's value in the token index; later words of longer texts are not found.
    static let tokensPerValue = 4_096
    /// Key ranges that cover a circle on the earth.
    static let rangesPerCircle = 32
    /// Index keys that one page reads before it ends short, with a marker.
    static let keysPerPage = 50_000
    /// Records that one page reads before it ends short, with a marker.
    static let recordsPerPage = 5_000
    /// Bytes of records in one page, after which it ends short, with a marker.
    static let bytesPerPage = 16 * 1_048_576
    /// Records fetched from the store at once.
    static let recordsPerFetch = 100
    /// Index keys read at once.
    static let keysPerRead = 1_024
    /// How many keys of each candidate range a planner reads to find the smallest, in turns.
    static let probes = [64, 512]
    /// Ranges that a planner compares.
    static let probedRanges = 16
    /// Records that are sorted in memory rather than found in the order of an index.
    static let recordsSortedInMemory = 4_096
    /// Records whose texts agree in ``indexedTextSize`` bytes and that can still be sorted.
    static let recordsOfOneTextPrefix = 20_000
    /// Keys that one zone of a query over many may read however many zones there are.
    static let leastKeysPerZone = 64
}
