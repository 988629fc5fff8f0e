import Foundation

/// The items that the person wants on this machine.
extension DriveAgent {
    private static let deselectedKey = "deselected"
    private static let ignoredKey = "ignored"

    /// The records of folders that are not selected.
    private var deselected: Set<String> {
        get throws {
            try state.setting(Self.deselectedKey).map { try JSONDecoder().decode(Set<String>.self, from: $0) } ?? []
        }
    }

    /// The trees, and what of them is wanted here.
    var tree: DriveTree {
        get throws {
            let deselected = try deselected
            if let tree = knownTree, tree.selection.deselected == deselected,
                tree.selection.ignoredNames == ignoredNames
            {
                return tree
            }
            let tree = DriveTree(
                try state, DriveSelection(deselected: deselected, ignoredNames: ignoredNames, ignores: ignores))
            knownTree = tree
            return tree
        }
    }

    /// The paths of folders that are not selected, which the server has.
    package var deselectedPaths: [String] {
        get throws { try deselected.compactMap { try remotePath(of: $0) }.sorted() }
    }

    package func setSelected(_ isSelected: Bool, _ path: String) async throws(DriveError) {
        // Changes that were not seen yet are uploaded before anything is removed.
        try await settle()
        do {
            try await inTurn { agent in
                if isSelected { try agent.select(path) } else { try agent.deselect(path) }
            }
        } catch {
            throw DriveError(error, path: path)
        }
        try await settle()
    }

    private func deselect(_ path: String) throws {
        guard try !deselectedPaths.contains(path) else { return }
        guard !path.isEmpty else {
            throw DriveError(.noPermission, path: path, "the container itself is always selected")
        }
        let folder = try entry(at: path, kind: .folder)
        guard folder.remote?.isDeleted == false else {
            throw DriveError(.notUploaded, path: path, "the server does not have '\(path)' yet")
        }
        let known = try deselected
        guard known.count < DriveLimits.deselected else {
            throw DriveError(
                .failed, path: path, "\(DriveLimits.deselected) folders are not selected already, which is the most")
        }
        // Those inside are not selected with it, and are selected with it again.
        let inner = try known.filter { try remotePath(of: $0)?.hasPrefix(path + "/") == true }
        try keep(known.subtracting(inner).union([folder.id]))
    }

    private func select(_ path: String) throws {
        let known = try deselected
        for id in known {
            guard let other = try remotePath(of: id) else { continue }
            if other == path { return try keep(known.subtracting([id])) }
            guard !path.hasPrefix(other + "/") else {
                throw DriveError(.noSuchFile, path: path, "'\(other)', which it is in, is not selected; select that")
            }
        }
        _ = try entry(at: path, kind: .folder)
    }

    private func keep(_ deselected: Set<String>) throws {
        let isThere = try deselected.filter { try remotePath(of: $0) != nil }
        try state.set(Self.deselectedKey, to: try JSONEncoder().encode(isThere))
    }

    /// The path of an item as the server has it; nil if it has not.
    private func remotePath(of id: String) throws -> String? {
        let state = try state
        guard let entry = try state[id], try tree.isAlive(entry) else { return nil }
        var names: [String] = []
        var next = entry.remote
        while let remote = next {
            names.append(remote.shape.place.name)
            next = try state[remote.shape.place.folder]?.remote
        }
        return names.reversed().joined(separator: "/")
    }

    // MARK: - Ignored names

    /// Whether an item of a name stays where it is: by default, or as the person says.
    var ignores: (String) -> Bool {
        let (settings, names) = (settings, ignoredNames.map { Array($0.utf8) })
        return { name in settings.ignores(name) || names.contains { DriveSettings.matches($0, Array(name.utf8)) } }
    }

    /// Reads the names to ignore.
    func readIgnoredNames() throws { ignoredNames = try currentIgnoredNames() }

    /// Whether there are other names to ignore than the last scan knew.
    func ignoredNamesChanged() throws -> Bool { try currentIgnoredNames() != ignoredNames }

    private func currentIgnoredNames() throws -> [String] {
        let root = try DriveDirectory.root(folder.path)
        let names: [String]
        do {
            names = try DriveIgnoreFile.names(in: root) ?? namesWithoutFile(in: root)
            ignoreFileFailure = nil
        } catch let error where DriveError.concernsItem(error) {
            // The file may come from another device, whose fault must not end the synchronization here.
            ignoreFileFailure = error
            return try keptIgnoredNames
        }
        if try keptIgnoredNames != names { try state.set(Self.ignoredKey, to: try JSONEncoder().encode(names)) }
        return names
    }

    /// The names that a placeholder of the file had as its content. Without either no names are ignored.
    private func namesWithoutFile(in root: DriveDirectory) throws -> [String] {
        let placeholder = UbiquityState.placeholderName(of: DriveIgnoreFile.name)
        return try root.status(placeholder) == nil ? [] : try keptIgnoredNames
    }

    /// The names that the file had when it was last right.
    private var keptIgnoredNames: [String] {
        get throws {
            try state.setting(Self.ignoredKey).map { try JSONDecoder().decode([String].self, from: $0) } ?? []
        }
    }
}
