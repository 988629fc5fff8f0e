/// Where a device keeps the secrets that must not leave it.
///
/// A secret is a few dozen bytes under a name. The names say whose it is; they are no secret, but come in part from the
/// server, so a store must take any text.
public protocol DeviceKeyStore: Sendable {
    /// The secret of a name; nil if there is none.
    /// - Throws: what keeps the store from being read. Never answers nil then: new keys would be made.
    func secret(named name: String) async throws -> [UInt8]?

    /// Keeps a secret, in the place of one of the same name, for good when the call returns.
    func setSecret(_ secret: [UInt8], named name: String) async throws

    /// Forgets a secret; one that is not there is forgotten, too.
    func removeSecret(named name: String) async throws
}

/// Why a store of keys cannot be used.
public struct DeviceKeyStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence that names the file or service in question, and never a secret.
    public let description: String

    /// Says why.
    public init(_ description: String) { self.description = description }
}
