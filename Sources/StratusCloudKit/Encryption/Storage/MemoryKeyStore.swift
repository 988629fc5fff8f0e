import StratusWorkers

/// Keeps secrets in memory: for tests, and for programs whose keys must not outlive them. What was encrypted with a key that
/// is forgotten, and is on no other device and behind no recovery phrase, is lost.
public final class MemoryKeyStore: DeviceKeyStore {
    private let secrets = Lock<[String: [UInt8]]>([:])

    /// An empty store.
    public init() {}

    /// The names of all secrets, in alphabetical order.
    public var names: [String] { secrets.withLock { $0.keys.sorted() } }

    /// The secret of a name; nil if there is none.
    public func secret(named name: String) -> [UInt8]? { secrets.withLock { $0[name] } }

    /// Keeps a secret.
    public func setSecret(_ secret: [UInt8], named name: String) { secrets.withLock { $0[name] = secret } }

    /// Forgets a secret.
    public func removeSecret(named name: String) { secrets.withLock { $0[name] = nil } }
}
