import StratusCloudModel
import StratusWorkers

/// Limits of the server's edge. The documentation quotes this file.
public enum ServerLimits {
    /// Bytes of a web-service request body, unless the operator says otherwise: 16 MiB.
    public static let bodySize = 16 * 1_048_576
    /// What the operator may choose for ``bodySize``: 64 KiB to 256 MiB.
    public static let bodySizes = 65_536...268_435_456
    /// Bytes of a sign-in form.
    public static let formSize = 16_384
    /// Bytes that a form takes around the one file in it, at most: boundaries, header fields and white space, 32 KiB.
    static let formEnvelopeSize: Int64 = 32_768
    /// Bytes of the header fields of a form's part: 16 KiB.
    static let formHeaderSize = 16_384
    /// Bytes of white space behind a boundary of a form: 1 KiB.
    static let formPaddingSize = 1_024
    /// Bytes of an `Authorization` header with an e-mail address and an app password.
    static let basicCredentialsLength = 1_024
    /// Bytes of a share's picture that its page shows: 128 KiB.
    public static let thumbnailSize = 131_072
    /// Characters of a share's title that its page shows.
    public static let shownTitle = 200
    /// Bytes of a body nobody reads, as some clients send with GET.
    public static let ignoredBodySize = 65_536
    /// Bytes of a lookup's body up to which it is taken for a quick one: some ten names.
    static let quickBodySize = 512
    /// Bytes of a save's body up to which it is read without a change of threads: a small record or a few.
    static let quickSaveSize = 2_048
    /// Characters of a Host header that answers repeat.
    public static let hostLength = 255
    /// Milliseconds that an answer is held back from who asks too often: about a fifth of a second, by chance, so that
    /// those who were refused together do not come back together.
    public static let refusalDelay = 150...250
    /// Answers held back at the same time; more are sent at once.
    public static let heldRefusals = 2_048
    /// What log and metrics say in the place of a status that nobody was there to receive.
    static let clientGone = 499
    /// Lines a second that are logged of requests without a credential that was accepted.
    static let strangerLogLines = 20
    /// Characters of a target or a reason in such a line.
    static let strangerLogText = 128
    /// Characters of a method in any line; and of what a proxy says of a client's address.
    static let loggedMethod = 16
    static let loggedAddress = 64
    /// Seconds told to a client that should wait, where the service names no time.
    public static let retryAfter = 5
    /// Seconds that a browser may remember a preflight answer: one day.
    static let preflightSeconds = "86400"
    /// How long after its start a server first looks for deletions to forget.
    static let firstHousekeeping = Duration.seconds(600)
    /// How long after that it looks again: one day.
    static let housekeepingInterval = Duration.seconds(86_400)
    /// How often mail that was put off is looked at: half a minute.
    static let mailInterval = Duration.seconds(30)
    /// How often figures of containers are taken to the disk: a minute.
    static let figureInterval = Duration.seconds(60)
    /// Live logs and exports that developers look at together.
    static let consoleStreams = 64
    /// Those of one developer.
    static let consoleStreamsPerDeveloper = 8
    /// Milliseconds after which somebody who reads one is looked at again.
    static let consoleWatchInterval: Int64 = 15_000
    /// How often a live log looks for new lines.
    static let logPause = Duration.milliseconds(200)
    /// How often a live log that has nothing to say says so.
    static let logHeartbeat = Duration.seconds(15)
    /// Bytes of an answer of the console's API from which it is compressed; less fits one packet as it is.
    static let compressedAnswerSize = 1_024
    /// How long a stop waits for requests under way.
    public static let drainTime = Duration.seconds(20)

    /// Threads that answer requests: one for each core, since they wait for nothing but pages of the store.
    public static let workerThreads = max(2, Processors.count)

    /// Requests of one client that are at work at a time while others ask, too: four for each core, at least eight.
    public static let clientConcurrency = max(8, 4 * Processors.count)
    /// What the operator may choose for ``clientConcurrency``.
    public static let clientConcurrencies = 1...1_000_000
    /// What a quick read counts towards ``clientConcurrency``: it needs a processor from beginning to end, so one for each
    /// core is as much as the machine can do at a time.
    static let quickReadWeight = 4
    /// Bytes of a body for which a request counts once more towards ``clientConcurrency``: 32 KiB.
    static let sharedBodySize = 32_768

    /// Lanes of those threads, in which clients wait beside each other.
    static let workerLanes = 256
    /// Threads that bring the bytes of assets to the disk, apart from those above because they wait for it: enough that
    /// the disk makes several small files durable together.
    public static let assetThreads = 16
    /// Bytes of an asset that are written at a time: 256 KiB.
    public static let assetPieceSize = 262_144
    /// Bytes of an asset up to which a download is checked before its first byte is sent: 1 MiB. Larger ones are
    /// checked while they are sent.
    public static let assetCheckedFirst: Int64 = 1_048_576
    /// Bytes of an asset up to which they are sent together with the head of the answer: 64 KiB. The kernel sends more
    /// from the file.
    static let assetSentFromMemory: Int64 = 65_536
    /// Between two collections of the bytes of assets that nothing needs any more.
    public static let assetCollectionInterval = Duration.seconds(600)

    /// The error for a body that is larger than the server takes: the one code of CloudKit that goes with HTTP 413, with
    /// an `extensionErrorCode` that says that no quota is meant.
    static func bodyTooLarge(limit: Int) -> CloudError {
        CloudError(.quotaExceeded, transportReason(413, bodyLimit: limit), extensionCode: .limitExceeded)
    }

    /// What the transport's own refusals say.
    static func transportReason(_ status: Int, bodyLimit: Int) -> String {
        switch status {
        case 413: "the request body is larger than the maximum, which is \(bodyLimit) bytes for web services"
        case 414: "the request target is longer than the maximum"
        case 431: "the request's header fields are larger or more than the maximum"
        case 503: "the server is stopping, or has no room for this request now"
        default: "the request is not well-formed HTTP/1.1"
        }
    }
}
