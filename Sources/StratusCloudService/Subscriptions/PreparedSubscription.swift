import StratusCloudModel
import StratusCloudStore

/// One subscription operation, checked as far as it can be without looking at what is stored.
struct PreparedSubscription: Sendable {
    private enum Action: Sendable {
        case save(StoredSubscription)
        case delete(SubscriptionReceipt?)
        /// What is wrong with the operation itself.
        case refuse(CloudError)
    }

    private let place: SubscriptionPlace
    private let name: String?
    private let action: Action
    private let mustExist: Bool

    init(
        _ operation: SubscriptionOperation, _ check: SubscriptionCheck, _ place: SubscriptionPlace, at now: Int64,
        _ makeName: () -> String
    ) {
        self.place = place
        let input: SubscriptionInput
        switch operation {
        case .delete(let name, let requestID):
            (self.name, mustExist) = (name, true)
            do {
                action = .delete(try SubscriptionReceipt(of: name, requestID, place, at: now))
            } catch {
                action = .refuse(error)
            }
            return
        case .update(let update) where update.subscriptionID == nil:
            let refusal = CloudError(.badRequest, "operation 'update' needs a subscriptionID")
            (name, action, mustExist) = (nil, .refuse(refusal), true)
            return
        case .create(let new): (input, mustExist) = (new, false)
        case .update(let update): (input, mustExist) = (update, true)
        }
        do {
            let name = input.subscriptionID ?? makeName()
            action = .save(try check.prepared(input, named: name))
            self.name = name
        } catch {
            action = .refuse(error)
            name = input.subscriptionID
        }
    }

    /// Carries it out, or says why not: then nothing was written.
    /// - Parameter count: how many subscriptions the user has.
    func run(counting count: inout Int, in transaction: any WriteTransaction) throws -> SubscriptionResult {
        do {
            switch action {
            case .refuse(let error): throw error
            case .save(let stored):
                try save(stored, &count, in: transaction)
                return .subscription(stored.subscription)
            case .delete(let receipt):
                let name = name ?? ""
                if try receipt?.isThere(in: transaction) ?? false { return .deleted(subscriptionID: name) }
                try delete(name, in: transaction)
                try receipt?.write(in: transaction)
                count -= 1
                return .deleted(subscriptionID: name)
            }
        } catch let error as CloudError {
            return .failed(subscriptionID: name, error)
        }
    }

    private func delete(_ name: String, in transaction: any WriteTransaction) throws {
        let table = SubscriptionTable(transaction)
        guard let stored = try table.find(name, of: place.user, place.scope) else {
            throw CloudService.subscriptionNotFound(name)
        }
        var summary = try table.summary()
        table.remove(stored, of: place.user, place.scope, from: &summary)
        table.store(summary)
    }

    private func save(
        _ stored: StoredSubscription, _ count: inout Int, in transaction: any WriteTransaction
    ) throws {
        let table = SubscriptionTable(transaction)
        let name = stored.subscription.subscriptionID
        let former = try table.find(name, of: place.user, place.scope)
        if mustExist, former == nil { throw CloudService.subscriptionNotFound(name) }
        if former == stored { return }
        if place.scope != .shared, let zone = stored.subscription.kind.zoneID {
            guard try ZoneHeader.find(zone.zoneName, in: transaction) != nil else {
                throw CloudService.zoneNotFound(zone)
            }
        }
        let hash = StoredSubscription.contentHash(of: stored.subscription.kind)
        if let twin = try transaction.get(SubscriptionKey.content(hash, of: place.user, place.scope)),
            !twin.elementsEqual(name.utf8)
        {
            throw CloudError(
                .internalError,
                "could not find subscription we just created: subscription is duplicate of "
                    + "'\(String(decoding: twin, as: UTF8.self))'")
        }
        if former == nil {
            let most = ServiceLimits.subscriptionsPerDatabase
            guard count < most else {
                throw CloudError(
                    .badRequest,
                    "the database has \(most) subscriptions of this user, which is the maximum; subscription "
                        + "'\(name)' was not created")
            }
            count += 1
        }
        var summary = try table.summary()
        if let former { table.remove(former, of: place.user, place.scope, from: &summary) }
        table.add(stored, of: place.user, place.scope, to: &summary)
        table.store(summary)
    }
}
