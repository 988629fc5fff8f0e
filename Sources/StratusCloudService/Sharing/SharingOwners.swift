import StratusCloudModel
import StratusCloudStore

/// Who ever shared something: noted in the partition of their container's environment, so that after a restart news that
/// were not told are found without looking at everybody.
enum SharingOwners {
    private static let tag: UInt8 = 0x72
    private static let step = 1_000

    static func key(of user: String) -> Key { Key([tag] + Array(user.utf8)) }

    static func all(in transaction: any ReadTransaction) throws -> [String] {
        var owners: [String] = []
        var rest = KeyRange(prefix: Key([tag]))
        while true {
            let entries = try transaction.entries(in: rest, limit: step)
            owners += entries.map { String(decoding: $0.key.bytes.dropFirst(), as: UTF8.self) }
            guard entries.count == step, let last = entries.last else { return owners }
            rest.lower = last.key.next
        }
    }
}

extension CloudService {
    /// Notes that somebody shares something, before they do.
    func noteSharing(by user: String, in context: CloudContext) async throws(CloudError) {
        let key = SharingOwners.key(of: user)
        guard try await reading(.context(context), { try $0.get(key) == nil }) else { return }
        try await writing(.context(context)) { $0.set(key, []) }
    }
}
