import Foundation
import StratusDeviceCredentials

/// The directory of a container on this machine.
struct UbiquityContainer: Hashable, Sendable {
    /// Characters of a container's identifier.
    static let identifierLength = 255

    let identifier: String
    /// The directory, whose `Documents` the person sees.
    let url: URL

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

    /// The directory in which the containers of an account are.
    static func directory(of account: UbiquityAccount) -> URL? {
        dataDirectory()?.appendingPathComponent("ubiquity").appendingPathComponent(account.key)
    }

    /// A container of an account; nil if the identifier cannot be the name of a directory.
    init?(_ identifier: String, of account: UbiquityAccount) {
        guard (1...Self.identifierLength).contains(identifier.utf8.count), !identifier.contains("/"),
            !identifier.hasPrefix("."), let directory = Self.directory(of: account)
        else { return nil }
        self.identifier = identifier
        url = directory.appendingPathComponent(identifier, isDirectory: true)
    }

    private init(identifier: String, url: URL) {
        self.identifier = identifier
        self.url = url
    }

    /// The container that a canonical path lies in, of whatever account; nil if it lies in none.
    static func containing(_ path: String) -> UbiquityContainer? {
        guard let data = dataDirectory() else { return nil }
        let base = CoordinatedPath.canonical(data.appendingPathComponent("ubiquity"))
        guard CoordinatedPath.isInside(path, base) else { return nil }
        let parts = path.dropFirst(base.count + 1).split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2 else { return nil }
        let url = URL(fileURLWithPath: base).appendingPathComponent(parts[0] + "/" + parts[1], isDirectory: true)
        return UbiquityContainer(identifier: String(parts[1]), url: url)
    }

    /// All containers of an account that are on this machine.
    static func all(of account: UbiquityAccount) -> [UbiquityContainer] {
        guard let directory = directory(of: account) else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.sorted().compactMap { UbiquityContainer($0, of: account) }
    }

    /// The canonical path of the container.
    var path: String { CoordinatedPath.canonical(url) }
    var documents: URL { url.appendingPathComponent("Documents", isDirectory: true) }

    /// Makes the directories, which only the user may enter.
    func create() throws {
        try FileManager.default.createDirectory(
            at: documents, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Whether a canonical path is an item of the container: not the container itself, and nothing of Stratus's own.
    func has(_ item: String) -> Bool {
        let own = path + "/" + Self.ownFolder
        return CoordinatedPath.isInside(item, path) && !CoordinatedPath.contains(own, item)
    }
}

extension UbiquityAccount {
    /// The name of the account's directory. It tells accounts apart; nothing depends on nobody finding another one.
    package var key: String {
        let hash = identity.joined(separator: "\n").utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return String(hash, radix: 16)
    }
}
