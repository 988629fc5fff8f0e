import Foundation

// Apple keeps no notifications any more, nor does this cloud, and there are no icons to put badges on. The operations are for
// programs that still have them: they end as they do where there is nothing to do, or with what is wrong with the account.

/// Fetches notifications that were missed: there are none. Deprecated at Apple: follow changes, or a subscription's pushes.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKFetchNotificationChangesOperation: CKOperation, @unchecked Sendable {
    /// Where to go on.
    open var previousServerChangeToken: CKServerChangeToken?
    /// Notifications of one page.
    open var resultsLimit = 0
    /// Never called.
    open var notificationChangedBlock: ((CKNotification) -> Void)?
    /// Told where to go on: where it began.
    open var fetchNotificationChangesCompletionBlock: ((CKServerChangeToken?, (any Error)?) -> Void)?
    /// Whether there are more: never.
    public var moreComing: Bool { false }

    /// An operation that begins anew.
    public override init() { super.init() }

    /// An operation that goes on from a token.
    public convenience init(previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func run() async throws { try await checkAccount() }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            fetchNotificationChangesCompletionBlock?(previousServerChangeToken, result.failure)
        }
    }
}

/// Notes which notifications were read: as none are kept, nothing is noted. Deprecated at Apple.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKMarkNotificationsReadOperation: CKOperation, @unchecked Sendable {
    /// The notifications.
    open var notificationIDs: [CKNotification.ID] = []
    /// Told which were marked: all.
    open var markNotificationsReadCompletionBlock: (([CKNotification.ID]?, (any Error)?) -> Void)?

    /// An operation that marks nothing yet.
    public override init() { super.init() }

    /// An operation that marks notifications.
    public convenience init(notificationIDsToMarkRead notificationIDs: [CKNotification.ID]) {
        self.init()
        self.notificationIDs = notificationIDs
    }

    override func run() async throws { try await checkAccount() }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            markNotificationsReadCompletionBlock?(result.failure == nil ? notificationIDs : nil, result.failure)
        }
    }
}

/// Sets the number on the app's icon, which nothing here shows. The cloud does not count: every notification that is to put a
/// badge on says 1. Deprecated at Apple.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKModifyBadgeOperation: CKOperation, @unchecked Sendable {
    /// The number.
    open var badgeValue = 0
    /// Told what became of it.
    open var modifyBadgeCompletionBlock: (((any Error)?) -> Void)?

    /// An operation that takes the badge off.
    public override init() { super.init() }

    /// An operation that sets the number.
    public convenience init(badgeValue: Int) {
        self.init()
        self.badgeValue = badgeValue
    }

    override func run() async throws { try await checkAccount() }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in modifyBadgeCompletionBlock?(result.failure) }
    }
}

extension CKOperation {
    /// - Throws: what everything throws where nobody is signed in.
    fileprivate func checkAccount() async throws {
        let client = DatabaseClient(connection: containerSource.connection, scope: .private, options: callOptions)
        _ = try await client.writersNames()
    }
}
