import StratusCloudModel
import StratusCloudStore
import StratusWorkers

/// Whose shared zones have news, and how far they are told. What the news are lies in the owners' partitions.
final class SharedNewsDesk: Sendable {
    /// Somebody who shares.
    struct Owner: Hashable, Sendable {
        let context: CloudContext
        let userRecordName: String

        var partition: Partition { .privateDatabase(of: userRecordName, in: context) }
    }

    private struct State {
        /// In the order in which they came.
        var order: [Owner] = []
        var waiting: Set<Owner> = []
        var isOpen = false
        /// Where each owner's next news begin: a store may have to step over what was cleared before.
        var told: [Owner: Key] = [:]
    }

    private let state = Lock(State())

    /// Notes that there are news.
    /// - Returns: whether somebody must begin to tell them.
    func add(_ owner: Owner) -> Bool {
        state.withLock { state in
            if state.waiting.insert(owner).inserted { state.order.append(owner) }
            defer { state.isOpen = true }
            return !state.isOpen
        }
    }

    /// Whose news are next; nil when there are none and whoever asks may go.
    func next() -> Owner? {
        state.withLock { state in
            guard !state.order.isEmpty else {
                state.isOpen = false
                return nil
            }
            let owner = state.order.removeFirst()
            state.waiting.remove(owner)
            return owner
        }
    }

    func start(of owner: Owner) -> Key { state.withLock { $0.told[owner] } ?? Keyspace.sharedNews.lower }

    func tell(_ owner: Owner, until end: Key) {
        state.withLock { state in
            // Only saves work; whoever is forgotten begins at the front.
            if state.told.count >= ShareLimits.ownersRemembered { state.told.removeAll() }
            state.told[owner] = end
        }
    }
}

extension CloudService {
    /// Tells the people who share a zone of a durable commit, after its answer.
    func deliver(_ news: SharedNews?, in context: CloudContext) {
        guard let news, let owner = news.zoneID.ownerRecordName else { return }
        deliverNews(of: SharedNewsDesk.Owner(context: context, userRecordName: owner))
    }

    private func deliverNews(of owner: SharedNewsDesk.Owner) {
        guard sharedNewsDesk.add(owner) else { return }
        Task { await self.tellSharedNews() }
    }

    /// Takes up what an earlier run of the service had not told.
    func resumeSharedNews() async throws(CloudError) {
        for container in try await listContainers() {
            for environment in CloudEnvironment.allCases {
                let context = CloudContext(container: container, environment: environment)
                for name in try await reading(.context(context), { try SharingOwners.all(in: $0) }) {
                    let owner = SharedNewsDesk.Owner(context: context, userRecordName: name)
                    let isWaiting = try await reading(owner.partition) { transaction in
                        try [Keyspace.sharedNews, Keyspace.directoryChanges].contains { range in
                            try !transaction.entries(in: range, limit: 1).isEmpty
                        }
                    }
                    if isWaiting { deliverNews(of: owner) }
                }
            }
        }
    }

    private func tellSharedNews() async {
        while let owner = sharedNewsDesk.next() {
            do throws(CloudError) {
                try await tellNews(of: owner)
            } catch {
                // Reported where it became a CloudError. What is not told stays, for the owner's next commit or the
                // next start.
            }
        }
    }

    /// Tells all that waits of an owner.
    func tellNews(of owner: SharedNewsDesk.Owner) async throws(CloudError) {
        while true {
            let start = sharedNewsDesk.start(of: owner)
            let mail = try await reading(owner.partition) { try SharedMail(after: start, in: $0) }
            if mail.changesDirectory { try await runDirectoryErrands(in: owner.partition) }
            guard let end = mail.end else { return }
            try await tell(mail, in: owner.context)
            let told = KeyRange(lower: start, upper: end)
            try await writing(owner.partition) { $0.clear(told) }
            sharedNewsDesk.tell(owner, until: end)
        }
    }

    /// Several people at a time, as a store makes durable together what comes together.
    /// - Throws: `tryAgainLater` if somebody could not be told now; the others were.
    private func tell(_ mail: SharedMail, in context: CloudContext) async throws(CloudError) {
        var rest = mail.letters.sorted { $0.key < $1.key }.makeIterator()
        let failure = await withTaskGroup(of: CloudError?.self) { group in
            func begin(_ next: (key: String, value: [SharedLetter])) {
                group.addTask {
                    do throws(CloudError) {
                        try await self.tell(next.value, to: next.key, in: context)
                        return nil
                    } catch {
                        // Reported where it became a CloudError. What will never succeed keeps nobody else waiting.
                        return error.code == .tryAgainLater ? error : nil
                    }
                }
            }
            for _ in 0..<ShareLimits.peopleToldAtOnce { if let next = rest.next() { begin(next) } }
            var failure: CloudError?
            while let ended = await group.next() {
                failure = failure ?? ended
                if let next = rest.next() { begin(next) }
            }
            return failure
        }
        if let failure { throw failure }
    }

    private func tell(
        _ letters: [SharedLetter], to user: String, in context: CloudContext
    ) async throws(CloudError) {
        let partition = Partition.privateDatabase(of: user, in: context)
        let range = SubscriptionKey.subscriptions(of: user, .shared)
        // Most people subscribe to nothing here; then nothing is written.
        guard try await !reading(partition, { try $0.entries(in: range, limit: 1).isEmpty }) else { return }
        let now = environment.now()
        let queued = try await writing(partition) { transaction in
            let subscriptions = try SubscriptionTable.all(of: user, .shared, in: transaction)
            let notifications = letters.flatMap { letter in
                subscriptions.compactMap { stored in
                    letter.notification(for: stored.subscription, of: user, in: context, at: now)
                }
            }
            return try notifications.isEmpty ? [] : PushQueue.append(notifications, in: transaction)
        }
        deliver(queued, in: context)
    }
}
