/// Limits of the SDK, as Apple documents them. The documentation quotes this file.
enum CloudLimits {
    /// Saves and deletions in one operation, and records in one fetch.
    static let itemsPerRequest = 400
    /// Bytes of the values of one operation's records, without assets.
    static let requestSize = 2 * 1_048_576
    /// Zones of one request for changes; more are asked for in turn.
    static let zonesPerFeedRequest = 200
    /// Links to shares of one request; more are asked about in turn.
    static let linksPerRequest = 200
    /// Records of one answer.
    static let recordsPerPage = 200
    /// Assets whose bytes are on their way at the same time.
    static let parallelTransfers = 4
    /// Fields of one request for places to send bytes to.
    static let assetsPerRequest = 200
    /// After this time a device asks again which key encrypts, so that one that was replaced is soon used no longer.
    static let keyFreshness = Duration.seconds(60)
    /// Times that keys are made again because other devices made theirs meanwhile.
    static let keyAttempts = 8
    /// Zones of one request that deletes them.
    static let zonesPerDeletion = 100
    /// Records that are encrypted anew in one request.
    static let recordsPerReencryption = 100
    /// Seconds between two questions whether a device was approved.
    static let approvalPollingInterval = Duration.seconds(2)
    /// Seconds that staged copies of assets are kept at least.
    static let stagedAssetLifetime = 3.0 * 24 * 60 * 60
}
