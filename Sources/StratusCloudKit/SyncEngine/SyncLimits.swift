/// Limits and times of the sync engine. The documentation quotes this file.
enum SyncLimits {
    /// Records of one batch: saves and deletions.
    static let changesPerBatch = 250
    /// Bytes of the values of one batch, without assets.
    static let batchSize = CloudLimits.requestSize
    /// Zones that are saved and deleted in one request.
    static let zonesPerBatch = 100
    /// How long after a change nothing else must have changed before it is sent.
    static let debounce = Duration.milliseconds(250)
    /// How long a change waits at most while others follow.
    static let longestDebounce = Duration.seconds(1)
    /// The wait after a first failure; each further one doubles it.
    static let firstRetry = Duration.seconds(1)
    /// The longest wait between two attempts, unless the server asks for more.
    static let longestRetry = Duration.seconds(900)
    /// The longest wait before notifications are listened for again where the network is gone.
    static let longestReconnection = Duration.seconds(60)
    /// Seconds that a long poll may take, and some for the way.
    static let pollPatience = Duration.seconds(75)
}
