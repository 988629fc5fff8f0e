import Foundation
import Glibc
import StratusDeviceCredentials

/// The directories that a person chose for containers of an account, in the place of those in the data directory.
struct ContainerPlaces: Sendable {
    /// Bytes of the file.
    static let limit = 1 << 20

    private let directory: String
    private var path: String { directory + "/.places.json" }

    init(of accountKey: String, in data: URL) {
        directory = UbiquityContainer.directory(of: accountKey, in: data).path
    }

    /// The directories by the containers' identifiers.
    func read() throws -> [String: String] {
        guard let bytes = try PrivateFile.read(path, limit: Self.limit) else { return [:] }
        return try JSONDecoder().decode([String: String].self, from: Data(bytes))
    }

    /// Remembers the directory of a container; nil for the one in the data directory.
    func set(_ identifier: String, to place: String?) throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let lock = try FileLock.waiting(directory + "/.places.lock")
        defer { withExtendedLifetime(lock) {} }
        var places = try read()
        places[identifier] = place
        try PrivateFile.replace(path, with: Array(try JSONEncoder().encode(places)))
    }
}

extension UbiquityContainer {
    /// The container with another directory, which all programs of the user find from now on.
    ///
    /// Files are not moved: a directory that has some has to be moved first, so that none seems to be deleted.
    /// - Parameter directory: A directory, or where one is to be made. Symbolic links are followed.
    package func moved(to directory: String) throws(DriveError) -> UbiquityContainer {
        let place = CoordinatedPath.canonical(URL(fileURLWithPath: directory, isDirectory: true), followingLast: true)
        guard place != path else { return self }
        let standard = CoordinatedPath.canonical(
            Self.directory(of: accountKey, in: data).appendingPathComponent(identifier, isDirectory: true))
        try checkPlace(place, isStandard: place == standard)
        guard try isEmpty() else {
            throw DriveError(
                .fileExists,
                "the files of '\(identifier)' are in '\(path)'; move that directory to '\(place)', then try again")
        }
        do {
            try ContainerPlaces(of: accountKey, in: data).set(identifier, to: place == standard ? nil : place)
        } catch {
            throw DriveError(.failed, "the directory of '\(identifier)' cannot be remembered: \(error)")
        }
        return UbiquityContainer(
            identifier: identifier, url: URL(fileURLWithPath: place, isDirectory: true), accountKey: accountKey,
            data: data)
    }

    private func checkPlace(_ place: String, isStandard: Bool) throws(DriveError) {
        var status = stat()
        if stat(place, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw DriveError(.fileExists, "'\(place)' is not a directory")
            }
            guard status.st_uid == geteuid(), access(place, R_OK | W_OK | X_OK) == 0 else {
                throw DriveError(.noPermission, "'\(place)' belongs to another user, or is not writable")
            }
        }
        let own = CoordinatedPath.canonical(data)
        // The agent would synchronize its own files without end.
        guard isStandard || !CoordinatedPath.meet(place, own) else {
            throw DriveError(.invalidName, "'\(place)' and '\(own)', where Stratus keeps its own files, overlap")
        }
        let others = Self.chosen(in: data).filter { ($0.identifier, $0.accountKey) != (identifier, accountKey) }
        if let other = others.first(where: { CoordinatedPath.meet($0.path, place) }) {
            throw DriveError(.fileExists, "'\(place)' and '\(other.path)', which '\(other.identifier)' has, overlap")
        }
    }

    /// Whether there are no files in the directory that a person would miss.
    private func isEmpty() throws(DriveError) -> Bool {
        let names = try names(in: path)
        guard names.allSatisfy({ [Self.ownFolder, documents.lastPathComponent].contains($0) }) else { return false }
        return try self.names(in: documents.path).isEmpty
    }

    /// The names in a directory; none if it does not exist.
    private func names(in path: String) throws(DriveError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return []
        } catch {
            throw DriveError(.failed, "'\(path)' cannot be read: \(error.localizedDescription)")
        }
    }
}
