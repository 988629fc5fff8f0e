import Foundation
import StratusCloudModel

/// How the SDK reaches one container of a cloud, as one person: over HTTP, or straight into a service in the process.
///
/// A transport sends each request once. Retries, limits and errors in CloudKit's words are the caller's affair.
public protocol CloudTransport: Sendable {
    /// Whether there are credentials of a person.
    var isSignedIn: Bool { get }

    /// What the device says of its account; nil if that is known by asking the cloud, as it is unless a transport says
    /// otherwise. While it is `temporarilyUnavailable` nothing of the private and the shared database is asked for.
    var accountStatus: CKAccountStatus? { get }

    /// The time since some moment, by which waits between two attempts are measured: the machine's, unless a transport
    /// says otherwise.
    var uptime: Duration { get }

    /// What links to shares begin with; their short GUIDs follow. That of no cloud, unless a transport says otherwise.
    var shareLinkBase: String { get }

    /// Waits before another attempt.
    /// - Throws: `CancellationError`
    func pause(for duration: Duration) async throws

    /// Waits until a moment of ``uptime``, as long as it takes from now unless a transport says otherwise.
    /// - Throws: `CancellationError`
    func pause(until moment: Duration) async throws

    /// A number from 0 to 1 that spreads waits, so that not all who wait for the same come at once: of the system, unless a
    /// transport says otherwise.
    func chance() -> Double

    /// Listens for notifications of the container's subscriptions until the task is cancelled. Returns before only if there are
    /// never any, as there are none unless a transport says otherwise.
    /// - Parameter receive: told first that somebody listens, then of each notification.
    /// - Throws: why it listens no more; what came meanwhile may be lost.
    func listen(_ receive: @escaping @Sendable (PushReport) -> Void) async throws(CloudTransportError)

    /// Sends a request and waits for its answer, which is of the kind that ``CloudCall`` says.
    func send(_ request: CloudRequest) async throws(CloudTransportError) -> CloudAnswer

    /// How much room the current user's files have; nil if the cloud does not say, as it does not unless a transport says
    /// otherwise.
    func fileRoom() async throws(CloudTransportError) -> FileRoom?

    /// Sends the bytes of a file to an address that ``CloudCall/uploadAssets(_:)`` gave, without holding all of them in
    /// memory, and gives the asset with its receipt. What was sent before goes on where it broke off.
    /// - Parameters:
    ///   - file: holds the bytes.
    ///   - address: where they go.
    ///   - progress: told of the bytes that have arrived.
    func upload(
        _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) -> Asset

    /// Continues to send the bytes of a file to an address, which another process may have begun.
    /// - Returns: nil if nothing has arrived there, so that the file has to be sent to a new address. That is so unless a
    ///   transport says otherwise.
    func continueUpload(
        _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) -> Asset?

    /// Continues to bring the bytes of an asset into a file that has those before an offset. Brings all of them unless a
    /// transport says otherwise.
    func continueDownload(
        from address: String, at offset: Int64, size: Int64, to file: LocalFile,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError)

    /// Brings the bytes of an asset into a file, without holding all of them in memory.
    /// - Parameters:
    ///   - address: where they are.
    ///   - size: how many there are.
    ///   - file: takes them.
    ///   - progress: told of the bytes that have arrived.
    func download(
        from address: String, size: Int64, to file: LocalFile, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError)
}

extension CloudTransport {
    /// Known by asking the cloud.
    public var accountStatus: CKAccountStatus? { nil }

    /// The cloud does not say.
    public func fileRoom() async throws(CloudTransportError) -> FileRoom? { nil }

    /// Nothing has arrived.
    public func continueUpload(
        _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) -> Asset? { nil }

    /// Brings all bytes.
    public func continueDownload(
        from address: String, at offset: Int64, size: Int64, to file: LocalFile,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) {
        try await download(from: address, size: size, to: file, progress: progress)
    }

    /// The machine's.
    public var uptime: Duration { ContinuousClock.now - beginning }

    /// As long as it takes from now.
    public func pause(until moment: Duration) async throws {
        let rest = moment - uptime
        if rest > .zero { try await pause(for: rest) }
    }

    /// Of the system.
    public func chance() -> Double { Double.random(in: 0...1) }

    /// There are none.
    public func listen(_ receive: @escaping @Sendable (PushReport) -> Void) async throws(CloudTransportError) {}

    /// Leads nowhere; programs that meet in one process find each other by it.
    public var shareLinkBase: String { "https://cloud.invalid/share/" }

    /// As long as it takes on the machine.
    public func pause(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// What the machine's uptime is counted from.
private let beginning = ContinuousClock.now

/// A request to a container.
public struct CloudRequest: Hashable, Sendable {
    /// The database asked.
    public var scope: DatabaseScope
    /// What is asked.
    public var call: CloudCall
    /// The longest time until the answer is there; nil for the transport's own.
    public var timeout: Duration?

    /// Makes a request.
    public init(_ call: CloudCall, in scope: DatabaseScope, timeout: Duration? = nil) {
        self.scope = scope
        self.call = call
        self.timeout = timeout
    }
}

/// What can be asked of a container. Behind each case stands the kind of its answer.
public enum CloudCall: Hashable, Sendable {
    /// ``CloudAnswer/records(_:)``
    case modifyRecords(ModifyRecordsRequest)
    /// ``CloudAnswer/records(_:)``
    case lookupRecords(LookupRecordsRequest)
    /// ``CloudAnswer/recordPage(_:)``
    case queryRecords(QueryRecordsRequest)
    /// ``CloudAnswer/zoneChanges(_:)``
    case zoneChanges([ZoneChangesRequest])
    /// ``CloudAnswer/databaseChanges(_:)``
    case databaseChanges(DatabaseChangesRequest)
    /// ``CloudAnswer/publicChanges(_:)``: an addition of Stratus
    case publicChanges(PublicChangesRequest)
    /// ``CloudAnswer/zones(_:)``
    case listZones
    /// ``CloudAnswer/zones(_:)``
    case lookupZones([ZoneID])
    /// ``CloudAnswer/zones(_:)``
    case modifyZones([ZoneOperation])
    /// ``CloudAnswer/subscriptions(_:)``
    case listSubscriptions
    /// ``CloudAnswer/subscriptions(_:)``
    case lookupSubscriptions([String])
    /// ``CloudAnswer/subscriptions(_:)``
    case modifySubscriptions([SubscriptionOperation])
    /// ``CloudAnswer/users(_:)``, of one
    case currentUser
    /// ``CloudAnswer/webAuthToken(_:)``: for another client of the same container, by the API token that it uses
    case webAuthToken(apiToken: String)
    /// ``CloudAnswer/users(_:)``
    case discoverUsers([UserLookup])
    /// ``CloudAnswer/users(_:)``
    case discoverAllUsers
    /// ``CloudAnswer/uploadPlaces(_:)``
    case uploadAssets(UploadAssetsRequest)
    /// ``CloudAnswer/shareLinks(_:)``: what links lead to
    case resolveShares([ShareLinkRequest])
    /// ``CloudAnswer/shareLinks(_:)``: lets the current user into shares
    case acceptShares([ShareLinkRequest])
    /// ``CloudAnswer/accessRequested``: by short GUIDs
    case requestShareAccess([String])
    /// ``CloudAnswer/shares(_:)``: which shares records belong to, and their keys
    case lookupShares(SharesRequest)
    /// ``CloudAnswer/shares(_:)``: writes the keys of a share
    case updateShareKeys(ShareKeysUpdate)
    /// ``CloudAnswer/publications(_:)``, of one
    case publishFile(PublishFileRequest)
    /// ``CloudAnswer/publications(_:)``
    case publishedFiles
    /// ``CloudAnswer/publications(_:)``, of none: by the identifier of a publication
    case unpublishFile(String)

    /// Whether it may change something, so that sending it twice is not the same as sending it once.
    public var isMutating: Bool {
        switch self {
        // One that has a name is done once, however often it comes.
        case .modifyRecords(let request): request.requestID == nil
        case .modifyZones(let operations): operations.contains { $0.requestID == nil }
        case .modifySubscriptions(let operations): operations.contains { $0.requestID == nil }
        case .lookupRecords, .queryRecords, .zoneChanges, .databaseChanges, .publicChanges, .listZones, .lookupZones,
            .listSubscriptions, .lookupSubscriptions, .currentUser, .webAuthToken, .discoverUsers, .discoverAllUsers,
            .uploadAssets, .resolveShares, .lookupShares, .publishedFiles:
            false
        case .publishFile, .unpublishFile: true
        // Who is in is in, and who has asked has asked.
        case .acceptShares, .requestShareAccess: false
        // Keys are written only over what their owner knows, and a proof is the same however often it comes.
        case .updateShareKeys: false
        }
    }

    /// The zone of items of the answer that do not say theirs.
    var zoneID: ZoneID {
        switch self {
        case .modifyRecords(let request): request.zoneID ?? .default
        case .lookupRecords(let request): request.zoneID ?? .default
        case .queryRecords(let request): request.zoneID ?? .default
        default: .default
        }
    }
}

/// The answer to a request.
public enum CloudAnswer: Hashable, Sendable {
    case records([RecordResult])
    case recordPage(QueryRecordsPage)
    case zoneChanges([ZoneChangesResult])
    case databaseChanges(DatabaseChangesPage)
    case publicChanges(ZoneChangesPage)
    case zones([ZoneResult])
    case subscriptions([SubscriptionResult])
    case users([UserIdentity])
    case webAuthToken(String)
    case uploadPlaces([UploadAssetsResult])
    case shareLinks([ShareLinkResult])
    case accessRequested
    case shares(SharesAnswer)
    case publications([PublishedFile])
}

/// Why a request has no answer.
public enum CloudTransportError: Error, Hashable, Sendable {
    /// The cloud refused the whole request. The name stands in its logs.
    case refused(CloudError, requestUUID: String?)
    /// The cloud asked to wait with such requests, this many seconds from now on; nothing was sent.
    case paused(retryAfter: Int)
    /// The cloud cannot be reached; nothing was sent.
    case unreachable(String)
    /// There is no secure connection, such as for a certificate that nobody vouches for; nothing was sent.
    case untrusted(String)
    /// The connection failed; the request may have arrived or not.
    case failed(String)
    /// The caller's task was cancelled.
    case cancelled
    /// Nobody said where the cloud is.
    case unconfigured(String)
    /// A file of this machine cannot be read or written.
    case file(LocalFile.Failure)
    /// The transport says itself what the caller is to be told: this code, these words, and seconds until it is worth
    /// another try.
    case stated(CKError.Code, String, retryAfter: TimeInterval?)
}
