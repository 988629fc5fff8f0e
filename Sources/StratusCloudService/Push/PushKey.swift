import StratusCloudModel
import StratusCloudStore

/// Where notifications wait, in the partition of the database whose commit caused them, and where devices are noted, in
/// the partition of their user's private database.
///
/// | range | value |
/// | --- | --- |
/// | pushQueue / user / scope / subscription | ``QueuedNotification``, the latest of the subscription |
/// | pushCounter | the number of the latest notification, as ``PushCounter`` |
/// | pushDevice / identifier | ``PushDevice`` |
enum PushKey {
    static let counter = Key([Keyspace.Tag.pushCounter.rawValue])

    static func queue(of user: String, _ scope: DatabaseScope, subscriptionID: String) -> Key {
        var encoder = queue(of: user)
        encoder.append(byte: scope.storedByte)
        encoder.append(rest: subscriptionID.utf8)
        return encoder.key
    }

    /// Everything that waits for a user.
    static func queueRange(of user: String) -> KeyRange { KeyRange(prefix: queue(of: user).key) }

    private static func queue(of user: String) -> TupleEncoder {
        var encoder = TupleEncoder()
        encoder.append(byte: Keyspace.Tag.pushQueue.rawValue)
        encoder.append(string: user)
        return encoder
    }

    static func device(_ id: DeviceID) -> Key { Key([Keyspace.Tag.pushDevice.rawValue] + id.bytes) }
    static var devices: KeyRange { KeyRange(prefix: Key([Keyspace.Tag.pushDevice.rawValue])) }
}
