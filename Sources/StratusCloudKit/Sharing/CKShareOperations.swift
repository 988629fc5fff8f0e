import Foundation

/// Fetches what the links of shares lead to.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKFetchShareMetadataOperation: CKOperation, @unchecked Sendable {
    /// The links.
    open var shareURLs: [URL]?
    /// Whether the records are wanted that are shared with all below them. Whole zones have none.
    open var shouldFetchRootRecord = false
    /// Fields of these records; nil is all.
    open var rootRecordDesiredKeys: [CKRecord.FieldKey]?
    /// Told where each link leads.
    open var perShareMetadataResultBlock: ((URL, Result<CKShare.Metadata, any Error>) -> Void)?
    /// Told what became of all of it; what concerns one link is not here.
    open var fetchShareMetadataResultBlock: ((Result<Void, any Error>) -> Void)?
    /// As ``perShareMetadataResultBlock``, before Swift had results. Deprecated at Apple.
    open var perShareMetadataBlock: ((URL, CKShare.Metadata?, (any Error)?) -> Void)?
    /// As ``fetchShareMetadataResultBlock``, before Swift had results: with a partial failure if a link failed. Deprecated at
    /// Apple.
    open var fetchShareMetadataCompletionBlock: (((any Error)?) -> Void)?

    private var results: ItemResults<URL, CKShareMetadata> = []

    /// An operation without links.
    public override init() { super.init() }

    /// An operation that follows links.
    public convenience init(shareURLs: [URL]) {
        self.init()
        self.shareURLs = shareURLs
    }

    override func run() async throws {
        results = try await shareClient.shareMetadatas(
            for: shareURLs ?? [], wantsRootRecord: shouldFetchRootRecord, desiredKeys: rootRecordDesiredKeys)
        for (url, result) in results {
            await call { [self] in
                if let block = perShareMetadataResultBlock {
                    block(url, result)
                } else {
                    perShareMetadataBlock?(url, try? result.get(), result.failure)
                }
            }
        }
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            if let block = fetchShareMetadataResultBlock {
                block(result)
            } else {
                fetchShareMetadataCompletionBlock?(
                    result.failure ?? NSError.partialFailure(results.failures(), "Failed to fetch some shares"))
            }
        }
    }
}

/// Lets the current user into shares. Add it to the container of the shares.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKAcceptSharesOperation: CKOperation, @unchecked Sendable {
    /// What the shares' links lead to.
    open var shareMetadatas: [CKShare.Metadata]?
    /// Told what became of each share.
    open var perShareResultBlock: ((CKShare.Metadata, Result<CKShare, any Error>) -> Void)?
    /// Told what became of all of it; what concerns one share is not here.
    open var acceptSharesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// As ``perShareResultBlock``, before Swift had results. Deprecated at Apple.
    open var perShareCompletionBlock: ((CKShare.Metadata, CKShare?, (any Error)?) -> Void)?
    /// As ``acceptSharesResultBlock``, before Swift had results: with a partial failure if a share failed. Deprecated at Apple.
    open var acceptSharesCompletionBlock: (((any Error)?) -> Void)?

    private var results: ItemResults<CKShareMetadata, CKShare> = []

    /// An operation without shares.
    public override init() { super.init() }

    /// An operation that accepts shares.
    public convenience init(shareMetadatas: [CKShare.Metadata]) {
        self.init()
        self.shareMetadatas = shareMetadatas
    }

    override func run() async throws {
        results = try await shareClient.acceptShares(shareMetadatas ?? [])
        for (metadata, result) in results {
            await call { [self] in
                if let block = perShareResultBlock {
                    block(metadata, result)
                } else {
                    perShareCompletionBlock?(metadata, try? result.get(), result.failure)
                }
            }
        }
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            if let block = acceptSharesResultBlock {
                block(result)
            } else {
                acceptSharesCompletionBlock?(
                    result.failure ?? NSError.partialFailure(results.failures(), "Failed to accept some shares"))
            }
        }
    }
}

/// Makes participants of people, to be invited.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
    /// The people.
    open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]?
    /// Told of each participant.
    open var perShareParticipantResultBlock:
        ((CKUserIdentity.LookupInfo, Result<CKShare.Participant, any Error>) -> Void)?
    /// Told what became of all of it; what concerns one person is not here.
    open var fetchShareParticipantsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Told of each participant there is, before Swift had results. Deprecated at Apple.
    open var shareParticipantFetchedBlock: ((CKShare.Participant) -> Void)?
    /// As ``fetchShareParticipantsResultBlock``, before Swift had results: with a partial failure if somebody cannot be invited.
    /// Deprecated at Apple.
    open var fetchShareParticipantsCompletionBlock: (((any Error)?) -> Void)?

    private var results: ItemResults<CKUserIdentity.LookupInfo, CKShareParticipant> = []

    /// An operation without people.
    public override init() { super.init() }

    /// An operation that looks people up.
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func run() async throws {
        results = try await shareClient.shareParticipants(for: userIdentityLookupInfos ?? [])
        for (info, result) in results {
            await call { [self] in
                if let block = perShareParticipantResultBlock {
                    block(info, result)
                } else if case .success(let participant) = result {
                    shareParticipantFetchedBlock?(participant)
                }
            }
        }
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            if let block = fetchShareParticipantsResultBlock {
                block(result)
            } else {
                fetchShareParticipantsCompletionBlock?(
                    result.failure ?? NSError.partialFailure(results.failures(), "Failed to find some people"))
            }
        }
    }
}

/// Asks the owners of shares for access. That it succeeds tells nothing about a share.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKShareRequestAccessOperation: CKOperation, @unchecked Sendable {
    /// The links of the shares.
    open var shareURLs: [URL]?
    /// Told of each link.
    open var perShareAccessRequestResultBlock: ((URL, Result<Void, any Error>) -> Void)?
    /// Told what became of all of it; what concerns one link is not here.
    open var shareAccessRequestResultBlock: ((Result<Void, any Error>) -> Void)?

    /// An operation without links.
    public override init() { super.init() }

    /// An operation that asks for access to shares.
    public convenience init(shareURLs: [URL]) {
        self.init()
        self.shareURLs = shareURLs
    }

    override func run() async throws {
        for (url, result) in try await shareClient.requestAccess(to: shareURLs ?? []) {
            await call { [self] in perShareAccessRequestResultBlock?(url, result) }
        }
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in shareAccessRequestResultBlock?(result) }
    }
}

extension CKOperation {
    fileprivate var shareClient: DatabaseClient {
        DatabaseClient(connection: containerSource.connection, scope: .public, options: callOptions)
    }
}
