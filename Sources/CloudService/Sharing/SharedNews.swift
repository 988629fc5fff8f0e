import CloudModel
import CloudStore

/// That something changed in a zone which people share, and who they are.
struct SharedNews: Sendable {
    /// With its owner.
    let zoneID: ZoneID
    let users: Set<String>
    /// Types of the changed records.
    let types: Set<String>
    let originClientID: String?

    init(zoneID: ZoneID, users: Set<String>, types: Set<String>, originClientID: String?) {
        self.zoneID = zoneID
        self.users = users
        self.types = types
        self.originClientID = originClientID
    }

    /// Of a zone that is about to go with all its shares; nil if nobody shares it.
    init?(ofDeleting zoneID: ZoneID, _ originClientID: String?, in transaction: any ReadTransaction) throws {
        guard let header = try ZoneHeader.find(zoneID.zoneName, in: transaction), header.sharing.isAnything else {
            return nil
        }
        var users: Set<String> = []
        for share: StoredShare in try transaction.allValues(in: Keyspace.shares(zone: header.number)) where share.isLive
        {
            let participants: [StoredParticipant] = try transaction.allValues(
                in: Keyspace.participants(zone: header.number, share.number))
            users.formUnion(participants.compactMap { $0.user?.userRecordName })
        }
        guard !users.isEmpty else { return nil }
        self.init(zoneID: zoneID, users: users, types: [], originClientID: originClientID)
    }
}

extension CloudService {
    /// Tells the people who share a zone of a durable commit, each in a transaction of their own and after the answer.
    func deliver(_ news: SharedNews?, in context: CloudContext) {
        guard let news, sharedNewsDesk.add(news, in: context) else { return }
        Task { await self.tellSharedNews() }
    }

    private func tellSharedNews() async {
        while let letter = sharedNewsDesk.next() {
            do throws(CloudError) {
                try await tell(letter)
            } catch {
                // Reported where it became a CloudError; the feed has it all the same.
            }
        }
    }

    private func tell(_ letter: SharedNewsDesk.Letter) async throws(CloudError) {
        let (user, context) = (letter.user, letter.context)
        let partition = Partition.privateDatabase(of: user, in: context)
        let range = SubscriptionKey.subscriptions(of: user, .shared)
        // Most people subscribe to nothing here; then nothing is written.
        guard try await !reading(partition, { try $0.entries(in: range, limit: 1).isEmpty }) else { return }
        let (now, makeID) = (environment.now(), environment.random.uuid)
        let queued = try await writing(partition) { transaction in
            try PushQueue.append(
                try SubscriptionTable.all(of: user, .shared, in: transaction).compactMap { stored in
                    letter.notification(for: stored.subscription, at: now, makeID: makeID)
                }, in: transaction)
        }
        deliver(queued, in: context)
    }
}
