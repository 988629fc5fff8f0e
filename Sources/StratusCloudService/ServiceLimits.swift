import StratusWorkers

/// Limits of the service beside those of `ModelLimits`. The documentation quotes this file.
public enum ServiceLimits {
    /// Milliseconds that a web auth token is valid: 30 minutes.
    public static let sessionLifetime: Int64 = 30 * 60 * 1_000
    /// Milliseconds that a web auth token is valid when the user asked to stay signed in: two weeks.
    public static let longSessionLifetime: Int64 = 14 * 24 * 60 * 60 * 1_000
    /// Milliseconds until a device that signed in must sign in anew: a year of 365 days.
    public static let deviceSessionLifetime: Int64 = 365 * 24 * 60 * 60 * 1_000
    /// Milliseconds that a device's web auth token is valid: 30 days, so a device that is used every month stays signed in.
    public static let deviceTokenLifetime: Int64 = 30 * 24 * 60 * 60 * 1_000
    /// Milliseconds between a sign-in in the browser and the device's use of the code: 2 minutes.
    public static let deviceCodeLifetime: Int64 = 2 * 60 * 1_000
    /// Bytes of the address that a device waits at for its code.
    public static let deviceCallbackLength = 255
    /// Milliseconds that checked credentials are taken without being checked again; a revocation ends it at once.
    public static let proofLifetime: Int64 = 1_000
    /// Milliseconds that it is known what a named request did, so that it can be sent again: 8 days.
    public static let receiptLifetime: Int64 = 8 * 24 * 60 * 60 * 1_000
    /// Receipts of earlier requests that a named request looks at, to forget those that are too old.
    public static let receiptsPerStep = 100
    /// Clients of one user whose change tokens a zone keeps; the one that gave its own longest ago goes first.
    public static let clientTokensPerUser = 16
    /// Bytes of records, as stored, in the answer of one lookup: 32 MiB.
    public static let lookupSize = 32 * 1_048_576
    /// Milliseconds that a sign-in page may stay open: 15 minutes.
    public static let signInLifetime: Int64 = 15 * 60 * 1_000
    /// Milliseconds that a browser is signed in to a person's own account: 30 minutes.
    public static let accountSessionLifetime: Int64 = 30 * 60 * 1_000
    /// Browsers in which a person is signed in to their own account at the same time; beyond, the oldest is signed out.
    public static let accountSessions = 16
    /// Milliseconds that the date of a server-to-server request may be off, either way: 10 minutes.
    public static let signatureWindow: Int64 = 10 * 60 * 1_000
    /// Signatures remembered to refuse a replay; the oldest go first.
    public static let rememberedSignatures = 200_000
    /// Bytes of the command that goes on to a container's app.
    public static let appCommandLength = 1_024
    /// Bytes of an account's e-mail address.
    public static let emailLength = 254
    /// People whom one user may look for in an hour, unless the operator says otherwise.
    public static let peoplePerHour = 10_000
    /// Digits of an account's phone number, the country's code included.
    public static let phoneDigits = 5...15
    /// Characters of a password, at least.
    public static let passwordMinimum = 8
    /// Bytes of a password, at most.
    public static let passwordMaximum = 1_024
    /// Failed sign-ins for one account within ``failedSignInWindow`` before further ones are refused unseen.
    public static let failedSignIns = 10
    /// Failed sign-ins from one network address within ``failedSignInWindow``, likewise.
    public static let failedSignInsPerAddress = 100
    /// Accounts and developers, known networks, and network addresses whose failed sign-ins are remembered, of each so many.
    public static let rememberedSignInSubjects = 100_000
    /// Networks from which an account or a developer has signed in that have failures of their own; the latest.
    public static let knownNetworks = 16
    /// Milliseconds after the last sign-in from a network until it counts as unknown: 90 days.
    public static let knownNetworkLifetime: Int64 = 90 * 24 * 60 * 60 * 1_000
    /// Milliseconds after which another sign-in from a known network is stored: a day.
    public static let knownNetworkPause: Int64 = 24 * 60 * 60 * 1_000
    /// Milliseconds after which another use of a session is stored: an hour.
    public static let sessionUsePause: Int64 = 60 * 60 * 1_000
    /// App passwords of one account.
    public static let appPasswordsPerAccount = 50
    /// Bytes of an app password's name.
    public static let appPasswordNameLength = 100
    /// Sessions that a person is shown of their own.
    public static let listedSessions = 100
    /// Bytes kept of what a client calls itself.
    public static let agentLength = 255
    /// Milliseconds after which failed sign-ins are forgotten: 15 minutes.
    public static let failedSignInWindow: Int64 = 15 * 60 * 1_000
    /// Custom zones of one database.
    public static let zonesPerDatabase = 10_000
    /// Operations of one `zones/modify`, and names of one `zones/lookup`.
    public static let zonesPerRequest = 200
    /// Entries that one transaction clears of a deleted zone.
    public static let clearedEntriesPerStep = 2_000
    /// Zones of one `changes/zone`.
    public static let zonesPerFeedRequest = 200
    /// Records that one feed request reads before it answers what it has; the rest comes with the next.
    public static let recordsPerFeedRequest = 4_000
    /// Bytes of records, as stored, that one feed request reads, likewise: 4 MiB.
    public static let feedRequestSize = 4 * 1_048_576
    /// Characters of a sync token, at most; those given have some sixty.
    public static let syncTokenLength = 512
    /// The same in the shared database, where a token knows of each share of its zone.
    public static let sharedSyncTokenLength = 327_680
    /// Milliseconds that change feeds tell deletions, unless configured otherwise: one year of 365 days.
    public static let tombstoneRetention: Int64 = 365 * 24 * 60 * 60 * 1_000
    /// Tombstones that one transaction purges.
    public static let purgedTombstonesPerStep = 500
    /// Seconds after which a query may ask again for what an index answers that is being built.
    public static let indexRetryAfter = 10
    /// Records that one transaction of an index build takes up, at most.
    public static let indexedRecordsPerStep = 100
    /// Entries of an index that one transaction of a build writes before it ends: saves wait for it. All of a record's go
    /// together, however many they are.
    public static let indexEntriesPerStep = 300
    /// Records that one step of counting those of a type takes.
    public static let countedRecordsPerStep = 1_000
    /// How many times as long as a transaction of an index build a server leaves between two of them to its requests.
    public static let indexRest = 2
    /// The most of that.
    public static let longestIndexRest = Duration.seconds(1)
    /// Records of an index build after which it notes how far it got.
    public static let indexedRecordsPerNote = 10_000
    /// Entries of former indexes that one transaction clears.
    public static let clearedIndexEntriesPerStep = 2_000
    /// Names of assets, and targets of references, that a check of everything has in memory at a time.
    public static let checkedNamesPerStep = 50_000
    /// Threads that a check of a large database reads with.
    public static let checkWorkers = min(4, max(2, Processors.count))
    /// Changes of a zone from which on a check divides it among threads.
    static let largeCheck: UInt64 = 10_000
    /// Parts that the records of such a zone fall into.
    static let checkParts = 16
    /// Sums that a check compares; see ``KeySums``.
    static let checkBuckets = 65_536
    /// The same for a database of few records.
    static let checkBucketsOfSmallDatabases = 256
    /// Milliseconds for which a quick check takes up further databases: 5 seconds.
    public static let quickCheckTime: Int64 = 5_000
    /// Records, and entries of each kind of index, that a quick check looks at in a database.
    public static let sampledRecords = 500
    /// Assets whose bytes a quick check reads in a database, and how large they may be: 1 MiB.
    public static let sampledAssets = 20
    /// See ``sampledAssets``.
    public static let sampledAssetSize: Int64 = 1_048_576
    /// Zones that a quick check looks into in a database.
    public static let sampledZones = 20
    /// Records that a quick check counts in a database; larger ones are not counted.
    public static let quicklyCountedRecords = 1_000_000
    /// Checks whose progress can be asked for at a time; of further ones nobody hears.
    public static let watchedChecks = 16
    /// Custom roles of one environment.
    public static let roles = 100
    /// People with custom roles in one environment.
    public static let roleMembers = 10_000
    /// Entries kept of a schema's history; the oldest go first.
    public static let schemaHistory = 1_000
    /// Bytes of a diff, as the history keeps it. Of a longer one the first whole lines are kept.
    public static let historyDiffSize = 65_536
    /// Times that a save, or a query, is tried again because the schema changed meanwhile.
    public static let schemaAttempts = 32
    /// Times that a repair counts a database that changes meanwhile.
    public static let usageAttempts = 5
    /// Bytes of a name given to a token or key.
    public static let labelLength = 255
    /// Bytes of an API token's hash that name it for the operator.
    public static let tokenIDLength = 8
    /// Origins that one API token may list.
    public static let originsPerToken = 100
    /// Records that an export reads at a time, to bound the memory for large ones.
    public static let exportEntriesPerStep = 25
    /// Reads in one page of an export.
    public static let exportStepsPerPage = 20
    /// Bytes of stored records after which a page of an export ends.
    public static let exportPageSize = 2 * 1_048_576
    /// Subscriptions of one user in one database.
    public static let subscriptionsPerDatabase = 500
    /// Operations of one `subscriptions/modify`, and names of one `subscriptions/lookup`.
    public static let subscriptionsPerRequest = 200
    /// Bytes of a subscription, as stored.
    public static let subscriptionSize = 16_384
}
