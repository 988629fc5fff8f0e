import StratusCloudModel

/// A request to the agent of a container: one message.
enum DriveRequest: Codable, Hashable, Sendable {
    case status
    case items(folder: String)
    case download(path: String)
    /// Asks for a content without waiting for it.
    case startDownload(path: String)
    case evict(path: String)
    case setPinned(Bool, path: String)
    case setSelected(Bool, path: String)
    case versions(path: String)
    case restore(path: String, version: String)
    case recentlyDeleted
    case restoreDeleted(recordName: String)
    case conflicts
    case resolve(path: String, version: String)
    case settle
    case record(path: String)
    /// Asks an app that is the agent to give up, for `stratus drive run`. The listener answers it.
    case handOver

    /// Does what is asked for.
    func perform(_ controls: any DriveControls) async throws(DriveError) -> DriveAnswer {
        try check()
        switch self {
        case .status: return .status(try await controls.status())
        case .items(let folder): return .items(try await controls.items(in: folder))
        case .download(let path): try await controls.download(path)
        case .startDownload(let path): try await controls.startDownload(path)
        case .evict(let path): try await controls.evict(path)
        case .setPinned(let isPinned, let path): try await controls.setPinned(isPinned, path)
        case .setSelected(let isSelected, let path): try await controls.setSelected(isSelected, path)
        case .versions(let path): return .versions(try await controls.versions(of: path))
        case .restore(let path, let version): try await controls.restore(path, version: version)
        case .recentlyDeleted: return .items(try await controls.recentlyDeleted())
        case .restoreDeleted(let recordName): return .path(try await controls.restoreDeleted(recordName))
        case .conflicts: return .items(try await controls.conflicts())
        case .resolve(let path, let version): try await controls.resolve(path, keeping: version)
        case .settle: try await controls.settle()
        case .record(let path): return .record(try await controls.record(of: path))
        case .handOver: throw DriveError(.agentExists, "another process synchronizes the container already")
        }
        return .done
    }

    /// Throws unless all paths and identifiers may be used.
    private func check() throws(DriveError) {
        switch self {
        case .status, .recentlyDeleted, .conflicts, .settle, .handOver: break
        case .items(let path), .download(let path), .startDownload(let path), .evict(let path),
            .setPinned(_, let path), .setSelected(_, let path), .versions(let path), .record(let path):
            try DrivePath.check(path)
        case .restore(let path, let version), .resolve(let path, let version):
            try DrivePath.check(path)
            try Self.check(identifier: version, "the identifier of a version")
        case .restoreDeleted(let recordName): try Self.check(identifier: recordName, "the name of a record")
        }
    }

    private static func check(identifier: String, _ what: String) throws(DriveError) {
        guard (1...DriveLimits.identifier).contains(identifier.utf8.count) else {
            throw DriveError(.invalidName, "\(what) has 1 to \(DriveLimits.identifier) bytes")
        }
    }
}

/// An answer of the agent of a container: one message.
enum DriveAnswer: Codable, Hashable, Sendable {
    case done
    case status(DriveStatus)
    case items([DriveItem])
    case versions([DriveVersion])
    case path(String)
    case record(DriveRecord)
    case failed(DriveError)
}

/// Rules for paths in a container.
enum DrivePath {
    /// Throws unless a path is relative to the container and stays in it.
    static func check(_ path: String) throws(DriveError) {
        guard !path.isEmpty else { return }
        guard path.utf8.first != UInt8(ascii: "/") else {
            throw DriveError(.invalidName, "a path in a container must not begin with '/'")
        }
        let names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard names.count <= DriveLimits.names else {
            throw DriveError(
                .invalidName,
                "a path in a container has at most \(DriveLimits.names) names, and this one has \(names.count)")
        }
        for name in names {
            do throws(CloudError) { try FileName.check(String(Substring(name))) } catch {
                throw DriveError(.invalidName, error.reason)
            }
        }
        guard String(Substring(names[0])) != UbiquityContainer.ownFolder else {
            throw DriveError(.noPermission, "'\(UbiquityContainer.ownFolder)' is not a part of the container")
        }
    }
}
