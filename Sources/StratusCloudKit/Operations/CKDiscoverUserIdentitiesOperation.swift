import Foundation

/// Looks for people.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    /// Whom to look for.
    open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo] = []
    /// Told of each person who is found.
    open var userIdentityDiscoveredBlock: ((CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)?
    /// Told what became of it; who is not found is no error.
    open var discoverUserIdentitiesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// As ``discoverUserIdentitiesResultBlock``, before Swift had results. Deprecated at Apple.
    open var discoverUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

    /// An operation that looks for nobody yet.
    public override init() { super.init() }

    /// An operation that looks for people.
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func run() async throws {
        for (info, identity) in try await userClient.identities(for: userIdentityLookupInfos) {
            await call { [self] in userIdentityDiscoveredBlock?(identity, info) }
        }
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            if let block = discoverUserIdentitiesResultBlock {
                block(result)
            } else {
                discoverUserIdentitiesCompletionBlock?(result.failure)
            }
        }
    }
}

/// Looks for everybody of the address book that the cloud keeps.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    /// Told of each person who is found.
    open var userIdentityDiscoveredBlock: ((CKUserIdentity) -> Void)?
    /// Told what became of it.
    open var discoverAllUserIdentitiesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// As ``discoverAllUserIdentitiesResultBlock``, before Swift had results. Deprecated at Apple.
    open var discoverAllUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

    override func run() async throws {
        for identity in try await userClient.allIdentities() {
            await call { [self] in userIdentityDiscoveredBlock?(identity) }
        }
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            if let block = discoverAllUserIdentitiesResultBlock {
                block(result)
            } else {
                discoverAllUserIdentitiesCompletionBlock?(result.failure)
            }
        }
    }
}

extension CKOperation {
    fileprivate var userClient: DatabaseClient {
        DatabaseClient(connection: containerSource.connection, scope: .public, options: callOptions)
    }
}
