/// Limits of the SDK, as Apple documents them. The documentation quotes this file.
enum CloudLimits {
    /// Saves and deletions in one operation, and records in one fetch.
    static let itemsPerRequest = 400
    /// Bytes of the values of one operation's records, without assets.
    static let requestSize = 2 * 1_048_576
    /// Zones of one request for changes; more are asked for in turn.
    static let zonesPerFeedRequest = 200
    /// Records of one answer.
    static let recordsPerPage = 200
    /// Assets whose bytes are on their way at the same time.
    static let parallelTransfers = 4
    /// Fields of one request for places to send bytes to.
    static let assetsPerRequest = 200
    /// Seconds that staged copies of assets are kept at least.
    static let stagedAssetLifetime = 3.0 * 24 * 60 * 60
}
