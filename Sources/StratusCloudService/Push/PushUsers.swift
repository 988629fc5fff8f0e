import StratusCloudModel
import StratusCloudStore

/// Which users have devices that a push channel serves: noted in the partition of their container's environment, so that
/// after a restart what was not delivered is found without looking at everybody.
enum PushUsers {
    private static let tag: UInt8 = 0x70
    private static let step = 1_000

    static func key(of user: String) -> Key { Key([tag] + Array(user.utf8)) }

    static func all(in transaction: any ReadTransaction) throws -> [String] {
        var users: [String] = []
        var rest = KeyRange(prefix: Key([tag]))
        while true {
            let entries = try transaction.entries(in: rest, limit: step)
            users += entries.map { String(decoding: $0.key.bytes.dropFirst(), as: UTF8.self) }
            guard entries.count == step, let last = entries.last else { return users }
            rest.lower = last.key.next
        }
    }
}

extension CloudService {
    func notePushUser(_ owner: PushOwner) async throws(CloudError) {
        let key = PushUsers.key(of: owner.userRecordName)
        let partition = Partition.context(owner.context)
        if try await reading(partition, { try $0.get(key) }) != nil { return }
        try await writing(partition) { $0.set(key, []) }
    }

    /// Wakes every device of a channel once.
    func resumeChannels() async throws(CloudError) {
        for container in try await listContainers() {
            for environment in CloudEnvironment.allCases {
                let context = CloudContext(container: container, environment: environment)
                for user in try await reading(.context(context), { try PushUsers.all(in: $0) }) {
                    try await resumeChannels(of: PushOwner(context: context, userRecordName: user))
                }
            }
        }
    }

    private func resumeChannels(of owner: PushOwner) async throws(CloudError) {
        let partition = Partition.privateDatabase(of: owner.userRecordName, in: owner.context)
        let devices = try await reading(partition) { transaction in
            try transaction.entries(in: PushKey.devices, limit: 2 * PushLimits.devicesPerUser)
                .filter { try PushDevice(stored: $0.value).address.kind != .courier }
                .map { DeviceID(Array($0.key.bytes.dropFirst())) }
        }
        push.channels.resume(devices, of: owner)
    }
}
