import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// Gives up all that is shared with the caller of a zone.
    func leave(_ zoneID: ZoneID, _ caller: Caller) async throws(CloudError) -> ZoneResult {
        let address = try DatabaseAddress(.shared, zoneID, caller)
        let schema = try await schema(of: caller.context)
        let commit = ShareCommit(
            zoneID: address.zoneID, schema: schema, schemas: schemas, caller: caller, now: environment.now(),
            run: run,
            makeID: environment.random.uuid)
        let outcome = try await writing(address.partition) { transaction in
            guard let view = try address.view(in: transaction), let access = view.access else {
                throw try address.zoneNotFound(in: transaction)
            }
            return try commit.run(in: transaction) { header, ledger in
                try access.grants.keys.sorted().compactMap { number in
                    guard let whole = try WholeShare.read(number, zone: header.number, in: transaction),
                        let own = whole.participant(of: access.user)
                    else { return nil }
                    try ledger.remove(own, from: whole.share, isOwnWish: true)
                    ledger.set(whole.share)
                    return whole.share.recordName
                }
            }
        }
        if let outcome { await deliver(outcome, of: address.partition, in: caller.context) }
        return .deleted(address.zoneID)
    }
}
