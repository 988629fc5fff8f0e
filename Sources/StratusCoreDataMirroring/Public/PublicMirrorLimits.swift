import Foundation

/// Times of the mirroring of public databases. The documentation quotes this file.
enum PublicMirrorLimits {
    /// The pause between two looks at the server's feed.
    static let feedInterval = Duration.seconds(60)
    /// The pause between two rounds of queries, on a server without a feed.
    static let queryInterval = Duration.seconds(1_800)
    /// Seconds before the last modification date that is known, which are queried again: a record may become visible
    /// after another one with a later date.
    static let queryOverlap: TimeInterval = 10
    /// Batches with records that fail, such as those in conflict, after which the next one is sent at once. Later ones wait
    /// as after a failure of the network.
    static let failingBatches = 20
}
