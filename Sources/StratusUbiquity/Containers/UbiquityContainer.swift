import Foundation
import StratusDeviceCredentials

/// The directory of a container on this machine.
package struct UbiquityContainer: Hashable, Sendable {
    /// Characters of a container's identifier.
    static let identifierLength = 255

    package let identifier: String
    /// The directory, whose `Documents` the person sees.
    package let url: URL
    /// The name of the account's directory: ``UbiquityAccount/key``.
    package let accountKey: String
    /// Everything of Stratus in the user's data directory.
    let data: URL

    /// The folder in a container of what Stratus keeps there itself.
    static let ownFolder = ".stratus"

    /// Everything of Stratus in the user's data directory; nil for a user without a home.
    static func dataDirectory(_ variables: [String: String] = UbiquityEnvironment.variables) -> URL? {
        if let base = variables["XDG_DATA_HOME"], base.hasPrefix("/") {
            return URL(fileURLWithPath: base).appendingPathComponent("stratus")
        }
        guard let home = variables["HOME"], home.hasPrefix("/") else { return nil }
        return URL(fileURLWithPath: home).appendingPathComponent(".local/share/stratus")
    }

    /// The directory that holds the containers of an account, unless the person chose others.
    static func directory(of accountKey: String, in data: URL) -> URL {
        data.appendingPathComponent("ubiquity").appendingPathComponent(accountKey)
    }

    /// The same for an account; nil for a user without a home.
    static func directory(of account: UbiquityAccount) -> URL? {
        dataDirectory().map { directory(of: account.key, in: $0) }
    }

    /// A container of an account; nil if the identifier cannot be the name of a directory, for a user without a home,
    /// and if the file with the container's chosen directory cannot be read.
    package init?(
        _ identifier: String, of account: UbiquityAccount,
        variables: [String: String] = UbiquityEnvironment.variables
    ) {
        guard let data = Self.dataDirectory(variables) else { return nil }
        self.init(identifier, accountKey: account.key, data: data)
    }

    private init?(_ identifier: String, accountKey: String, data: URL) {
        guard (1...Self.identifierLength).contains(identifier.utf8.count), !identifier.contains("/"),
            !identifier.hasPrefix("."), let places = try? ContainerPlaces(of: accountKey, in: data).read()
        else { return nil }
        self.identifier = identifier
        self.accountKey = accountKey
        self.data = data
        url =
            places[identifier].map { URL(fileURLWithPath: $0, isDirectory: true) }
            ?? Self.directory(of: accountKey, in: data).appendingPathComponent(identifier, isDirectory: true)
    }

    init(identifier: String, url: URL, accountKey: String, data: URL) {
        (self.identifier, self.url, self.accountKey, self.data) = (identifier, url, accountKey, data)
    }

    /// The program's first container; nil if nobody is signed in, or it is not on this machine yet. Blocks.
    static func standard() -> UbiquityContainer? {
        guard let account = UbiquityAccount.current(), let identifier = account.containers.first,
            let container = UbiquityContainer(identifier, of: account),
            FileManager.default.fileExists(atPath: container.url.path)
        else { return nil }
        return container
    }

    /// The container that a canonical path lies in, of whatever account; nil if it lies in none.
    static func containing(_ path: String) -> UbiquityContainer? {
        guard let data = dataDirectory() else { return nil }
        let base = CoordinatedPath.canonical(data.appendingPathComponent("ubiquity"))
        guard CoordinatedPath.isInside(path, base) else { return chosen(in: data).first { $0.contains(path) } }
        let parts = path.dropFirst(base.count + 1).split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2 else { return nil }
        let container = UbiquityContainer(String(parts[1]), accountKey: String(parts[0]), data: data)
        return container.flatMap { $0.contains(path) ? $0 : nil }
    }

    /// All containers of an account that are on this machine.
    static func all(of account: UbiquityAccount) -> [UbiquityContainer] {
        guard let data = dataDirectory() else { return [] }
        let directory = Self.directory(of: account.key, in: data)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        let places = (try? ContainerPlaces(of: account.key, in: data).read()) ?? [:]
        return Set(names).union(places.keys).sorted().compactMap { UbiquityContainer($0, of: account) }
    }

    /// Containers of all accounts whose directories the person chose.
    static func chosen(in data: URL) -> [UbiquityContainer] {
        let accounts = data.appendingPathComponent("ubiquity")
        let keys = (try? FileManager.default.contentsOfDirectory(atPath: accounts.path)) ?? []
        return keys.sorted().flatMap { key in
            let places = (try? ContainerPlaces(of: key, in: data).read()) ?? [:]
            return places.keys.sorted().compactMap { UbiquityContainer($0, accountKey: key, data: data) }
        }
    }

    /// The directories that the person chose for containers of all accounts. Blocks.
    package static func chosenDirectories() -> [String] { dataDirectory().map { chosen(in: $0).map(\.path) } ?? [] }

    /// The canonical path of the container.
    package var path: String { CoordinatedPath.canonical(url) }
    var documents: URL { url.appendingPathComponent("Documents", isDirectory: true) }
    /// The agent's own directory. Only the user may enter it.
    package var agentDirectory: URL {
        data.appendingPathComponent("drive").appendingPathComponent(accountKey).appendingPathComponent(identifier)
    }

    /// Makes the directories, which only the user may enter.
    func create() throws {
        try FileManager.default.createDirectory(
            at: documents, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Whether a canonical path is the container or lies in it.
    private func contains(_ item: String) -> Bool { CoordinatedPath.contains(path, item) }

    /// Whether a canonical path is an item of the container: not the container itself, and nothing of Stratus's own.
    func has(_ item: String) -> Bool {
        let own = path + "/" + Self.ownFolder
        return CoordinatedPath.isInside(item, path) && !CoordinatedPath.contains(own, item)
    }

    /// The path in the container of what it contains; empty for the container itself.
    func relative(_ item: String) -> String { Self.relative(item, in: path) }

    /// The path in the container at a canonical path of what it contains.
    static func relative(_ item: String, in path: String) -> String {
        String(item.utf8.dropFirst(path.utf8.count + 1)) ?? ""
    }
}

extension UbiquityAccount {
    /// The name of the account's directory, which differs for different accounts. Security does not depend on it.
    package var key: String { StableName.of(identity) }
}

/// Short names for directories and sockets, the same in all programs.
enum StableName {
    /// A name that differs for different texts. Security must not depend on it, because others may find texts with the
    /// same name.
    static func of(_ texts: [String]) -> String {
        let hash = texts.joined(separator: "\n").utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return String(hash, radix: 16)
    }
}
