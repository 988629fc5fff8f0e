import StratusCloudModel

/// Bounds of what programs and the agent of a container exchange. `Documentation/limits.md` lists them.
enum DriveLimits {
    /// Bytes of a request: a path of the longest names, escaped.
    static let request = 256 << 10
    /// Bytes of an answer: the list of a folder with as many items as one may have.
    static let answer = 64 << 20
    /// Programs that an agent serves at the same time.
    static let connections = 256
    /// Further ones, which may only ask an app to give up for `stratus drive run`.
    static let reservedConnections = 8
    /// Seconds in which a program has to send its request.
    static let patience = 5.0
    /// Names in a path: an item in as many folders as it may have around it.
    static let names = FileLimits.folderDepth + 1
    /// Folders that the agent goes into. The server takes fewer; a hostile one could send a loop.
    static let depth = 1_000
    /// Contents that are downloaded at the same time.
    static let downloads = 8
    /// New items that take their places together, and the bytes of their contents. A content with more bytes does not
    /// let others wait.
    static let placements = 256
    static let placementBytes: Int64 = 8 << 20
    /// The time that items that are ready wait for others.
    static let placementDelay = Duration.milliseconds(250)
    /// Records of the server that wait in memory until they are noted, and the rest of the page that they came with.
    static let waitingRecords = 1_000
    /// Paths that programs have asked to download, and that wait for their turn.
    static let requestedDownloads = 10_000
    /// Bytes of a content from which on an upload continues after a restart.
    static let continued: Int64 = 4 << 20
    /// Bytes of copies that are made for one request; further changes go with the next.
    static let copies: Int64 = 1 << 30
    /// Seconds that the agent waits for the programs that use an item; then it is tried again later.
    static let coordination = 10.0
    /// Seconds that the agent waits so in vain in a comparison, for all items together, and those for each further one.
    static let allCoordination = 30.0
    static let furtherCoordination = 0.25
    /// Threads of an agent that wait for programs at the same time.
    static let coordinationThreads = 8
    /// Bytes of the identifier of a version, and of the name of a record.
    static let identifier = 255
    /// How often `stratus drive run` tries to be noticed by apps, and how long it pauses between, in microseconds.
    static let announcements = 100
    static let announcementPause: UInt32 = 50_000
    /// How often a program asks an agent that is just starting, with the same pauses.
    static let startingAttempts = 100
    /// Folders that are not selected on one machine.
    static let deselected = 1_000
    /// Time after which a scan goes through the whole container again, though its directories are watched: a file may
    /// have another name outside of the container.
    static let wholeScan = Duration.seconds(6 * 3_600)
    /// Time after which the container is scanned again if the system does not watch all directories, or if a disk in it
    /// is not mounted.
    static let unwatchedScan = Duration.seconds(300)
    /// Bytes of the file with the names to ignore, and how many it has.
    static let ignoreFile = 64 << 10
    static let ignoredNames = 1_000
}
