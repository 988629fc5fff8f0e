import StratusCloudModel
import StratusCloudStore

/// The networks from which somebody has signed in. A stranger who guesses somewhere else cannot lock the owner out of them.
///
/// Only keyed hashes are stored, so the database alone does not tell where anybody was.
struct KnownNetworks: StoredValue, Hashable {
    static let format: UInt8 = 1

    struct Network: Hashable {
        var mark: [UInt8]
        /// Milliseconds since 1970-01-01 UTC.
        var lastSignIn: Int64
    }

    /// The latest sign-in first.
    private(set) var networks: [Network] = []

    init() {}

    init(from reader: inout ByteReader) throws {
        for _ in 0..<(try reader.unsigned()) {
            networks.append(Network(mark: Array(try reader.slice()), lastSignIn: try reader.signed()))
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: UInt64(networks.count))
        for network in networks {
            writer.write(bytes: network.mark)
            writer.write(signed: network.lastSignIn)
        }
    }

    func lastSignIn(from mark: [UInt8], at now: Int64) -> Int64? {
        networks.first { $0.mark == mark && $0.lastSignIn + ServiceLimits.knownNetworkLifetime > now }?.lastSignIn
    }

    mutating func note(_ mark: [UInt8], at now: Int64) {
        networks.removeAll { $0.mark == mark || $0.lastSignIn + ServiceLimits.knownNetworkLifetime <= now }
        networks.insert(Network(mark: mark, lastSignIn: now), at: 0)
        networks = Array(networks.prefix(ServiceLimits.knownNetworks))
    }
}

extension DirectoryKey {
    /// - Parameter holderID: the identifier of an account or a developer.
    static func knownNetworks(of holderID: String) -> Key { key(.knownNetworks, holderID) }
}

extension CloudService {
    /// When a holder of a password last signed in from a network; nil if that was long ago, or never.
    func lastSignIn(of holderID: String, from network: String) async throws(CloudError) -> Int64? {
        let networks: KnownNetworks? = try await reading(.directory) {
            try $0.value(at: DirectoryKey.knownNetworks(of: holderID))
        }
        return networks?.lastSignIn(from: networkMark(network, holderID), at: environment.now())
    }

    /// Remembers that a holder of a password signed in from a network.
    func noteSignIn(of holderID: String, from network: String) async {
        let (mark, now) = (networkMark(network, holderID), environment.now())
        do {
            try await store.write(.directory) { transaction in
                let key = DirectoryKey.knownNetworks(of: holderID)
                var networks: KnownNetworks = try transaction.value(at: key) ?? KnownNetworks()
                networks.note(mark, at: now)
                transaction.set(key, networks)
            }
        } catch {
            // The sign-in itself succeeded; a disk that is full must not undo it.
            environment.report(error)
        }
    }

    private func networkMark(_ network: String, _ holderID: String) -> [UInt8] {
        Array(seals.secret(for: .knownNetwork, boundTo: Array("\(holderID) \(network)".utf8)).prefix(16))
    }
}
