import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusDeviceCredentials

/// Small values that the devices of a person share: preferences, the last page read.
///
/// Reading and writing never wait for the network. Values are kept on the device, also without an account, and travel
/// to other devices in the background. For each key the latest change wins, by the server's clock, whatever a device's
/// clock says.
///
/// Keys have at most 64 bytes of UTF-8, and there are at most 1,024; all values together have at most 1 MiB as binary
/// property lists. A change beyond that is not made, and ``didChangeExternallyNotification`` reports it with the reason
/// ``NSUbiquitousKeyValueStoreQuotaViolationChange``. Apple's systems raise an exception for a key that is too long and
/// for a value that is no property list; here such a change is not made either, and standard error says so.
open class NSUbiquitousKeyValueStore: NSObject, @unchecked Sendable {
    // `@unchecked Sendable`: the properties are set once, and `NSObject` itself has none.

    /// The app's store: that of the container that `CKContainer.default()` is, or of the identifier in the environment
    /// variable `STRATUS_KEY_VALUE_STORE`.
    public class var `default`: NSUbiquitousKeyValueStore { standard }

    private static let standard = NSUbiquitousKeyValueStore(
        container: .default(), identifier: identifierOfEnvironment(ProcessInfo.processInfo.environment))

    /// Values changed, but not by this process: on another device, in another process, because somebody else signed in,
    /// or because there was no room for them. Posted on any thread, with the store as object;
    /// ``NSUbiquitousKeyValueStoreChangeReasonKey`` and ``NSUbiquitousKeyValueStoreChangedKeysKey`` say why and which.
    public static let didChangeExternallyNotification = NSNotification.Name(
        "NSUbiquitousKeyValueStoreDidChangeExternallyNotification")

    private let replica: KeyValueReplica
    let sync: KeyValueSync?
    private let watch: FileWatch?

    /// The store of an identifier in a container.
    /// - Parameters:
    ///   - identifier: nil for the container's own.
    ///   - directory: Where the store is kept; nil for its place in the user's home.
    package init(
        container: CKContainer, identifier: String? = nil, directory: String? = nil, clock: ChangeClock = .system
    ) {
        let zoneName = KeyValueFormat.zoneName(ofStore: identifier)
        if zoneName == nil {
            KeyValueReplica.log("'\(identifier ?? "")' is no identifier of a store; it is kept in memory only")
        }
        let file = zoneName.map { _ in
            directory.map { KeyValueFile(directory: $0) }
                ?? KeyValueFile(
                    container: container.containerIdentifier, store: identifier, account: UbiquityAccount.current())
        }
        let owner = Owner()
        let replica = KeyValueReplica(file, clock: clock) { owner.post($0) }
        self.replica = replica
        if let file, let zoneName, replica.isStored {
            watch = FileWatch(file.path) { [weak replica] in replica?.refresh() }
            if watch == nil {
                KeyValueReplica.log("the system has no watches left: other processes' changes wait for synchronize()")
            }
            sync = KeyValueSync(replica, file, container, zoneName: zoneName)
        } else {
            (watch, sync) = (nil, nil)
        }
        super.init()
        owner.store.withLock { $0 = Weak(value: self) }
        sync?.start()
    }

    static func identifierOfEnvironment(_ variables: [String: String]) -> String? {
        variables["STRATUS_KEY_VALUE_STORE"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The present contents of the store.
    var contents: KeyValueContents { replica.contents }

    /// Ends the synchronization, as the end of the process does.
    package func close() async { await sync?.close() }

    // MARK: - Reading

    /// A key's value: a `String`, `NSNumber`, `Date`, `Data`, or an array or dictionary of these; nil if it has none.
    open func object(forKey aKey: String) -> Any? { replica.value(forKey: aKey).flatMap(PropertyListValue.value) }

    /// A key's text; nil if it has none.
    open func string(forKey aKey: String) -> String? { object(forKey: aKey) as? String }

    /// A key's array; nil if it has none.
    open func array(forKey aKey: String) -> [Any]? { object(forKey: aKey) as? [Any] }

    /// A key's dictionary; nil if it has none.
    open func dictionary(forKey aKey: String) -> [String: Any]? { object(forKey: aKey) as? [String: Any] }

    /// A key's data; nil if it has none.
    open func data(forKey aKey: String) -> Data? { object(forKey: aKey) as? Data }

    /// A key's whole number; 0 if it has none.
    open func longLong(forKey aKey: String) -> Int64 { (object(forKey: aKey) as? NSNumber)?.int64Value ?? 0 }

    /// A key's number; 0 if it has none.
    open func double(forKey aKey: String) -> Double { (object(forKey: aKey) as? NSNumber)?.doubleValue ?? 0 }

    /// A key's truth value; false if it has none.
    open func bool(forKey aKey: String) -> Bool { (object(forKey: aKey) as? NSNumber)?.boolValue ?? false }

    /// All keys with their values.
    open var dictionaryRepresentation: [String: Any] {
        replica.contents.entries.compactMapValues { $0.value.flatMap(PropertyListValue.value) }
    }

    // MARK: - Writing

    /// Sets a key's value, a property list; nil removes the key.
    open func set(_ anObject: Any?, forKey aKey: String) {
        guard let anObject else { return removeObject(forKey: aKey) }
        guard let data = PropertyListValue.data(of: anObject) else {
            return KeyValueReplica.log(
                "key '\(aKey.prefix(64))' was not set: \(type(of: anObject)) is no property list value")
        }
        write(data, forKey: aKey)
    }

    /// Sets a key's text; nil removes the key.
    open func set(_ aString: String?, forKey aKey: String) { set(aString as Any?, forKey: aKey) }

    /// Sets a key's data; nil removes the key.
    open func set(_ aData: Data?, forKey aKey: String) { set(aData as Any?, forKey: aKey) }

    /// Sets a key's array; nil removes the key.
    open func set(_ anArray: [Any]?, forKey aKey: String) { set(anArray as Any?, forKey: aKey) }

    /// Sets a key's dictionary; nil removes the key.
    open func set(_ aDictionary: [String: Any]?, forKey aKey: String) { set(aDictionary as Any?, forKey: aKey) }

    /// Sets a key's whole number.
    open func set(_ value: Int64, forKey aKey: String) { set(NSNumber(value: value) as Any?, forKey: aKey) }

    /// Sets a key's number. A literal such as `1` is a whole number.
    @_disfavoredOverload
    open func set(_ value: Double, forKey aKey: String) { set(NSNumber(value: value) as Any?, forKey: aKey) }

    /// Sets a key's truth value.
    open func set(_ value: Bool, forKey aKey: String) { set(NSNumber(value: value) as Any?, forKey: aKey) }

    /// Removes a key with its value.
    open func removeObject(forKey aKey: String) { write(nil, forKey: aKey) }

    private func write(_ value: Data?, forKey key: String) {
        guard key.utf8.count <= KeyValueFormat.keyLength else {
            return replica.refuse(key, "the key is too long: it has more than \(KeyValueFormat.keyLength) bytes")
        }
        guard !key.isEmpty else { return KeyValueReplica.log("a key must not be empty") }
        replica.write(value, forKey: key)
    }

    /// Writes what changed to the disk, and takes over what other processes wrote. What is on the disk is sent to the
    /// cloud in the background, which this does not hasten.
    /// - Returns: false if the disk cannot be written, or the store's identifier is invalid.
    @discardableResult
    open func synchronize() -> Bool { replica.save() }
}

// The names are Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Key of the reason in a notification's `userInfo`: a number.
public let NSUbiquitousKeyValueStoreChangeReasonKey = "NSUbiquitousKeyValueStoreChangeReasonKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Key of the changed keys in a notification's `userInfo`: an array of texts. A removed key has no value any more.
public let NSUbiquitousKeyValueStoreChangedKeysKey = "NSUbiquitousKeyValueStoreChangedKeysKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Another device or process changed values.
public let NSUbiquitousKeyValueStoreServerChange = KeyValueChangeReason.server.rawValue
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The values came with the first download. Those of the server have taken the place of those written before.
public let NSUbiquitousKeyValueStoreInitialSyncChange = KeyValueChangeReason.initialSync.rawValue
// swift-format-ignore: AlwaysUseLowerCamelCase
/// There is no room for the values; they were not stored.
public let NSUbiquitousKeyValueStoreQuotaViolationChange = KeyValueChangeReason.quotaViolation.rawValue
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The account signed out, or another account is signed in.
public let NSUbiquitousKeyValueStoreAccountChange = KeyValueChangeReason.accountChange.rawValue
