import Foundation

extension FileWrapper {
    /// Adds a child, whose name has to be set.
    /// - Returns: the key of the child: its name, or another one if that is taken.
    @discardableResult
    public func addFileWrapper(_ child: FileWrapper) -> String {
        guard let name = child.preferredFilename, !name.isEmpty else {
            preconditionFailure("a file wrapper without a preferred filename was added to a directory")
        }
        return withChildren { children in
            var key = name
            var number = 1
            while children[key] != nil {
                number += 1
                key = "\(number)__#$!@%!#__\(name)"
            }
            children[key] = child
            return key
        }
    }

    /// Adds a file with contents.
    /// - Returns: its key.
    @discardableResult
    public func addRegularFile(withContents data: Data, preferredFilename fileName: String) -> String {
        let child = FileWrapper(regularFileWithContents: data)
        child.preferredFilename = fileName
        return addFileWrapper(child)
    }

    /// Removes a child.
    public func removeFileWrapper(_ child: FileWrapper) {
        withChildren { children in
            for (key, other) in children where other === child { children[key] = nil }
        }
    }

    /// The key of a child; nil for another wrapper.
    public func keyForChildFileWrapper(_ child: FileWrapper) -> String? {
        withChildren { children in children.first { $0.value === child }?.key }
    }

    private func withChildren<Result>(_ body: (inout [String: FileWrapper]) -> Result) -> Result {
        withState { state in
            guard case .directory(var children) = state.content else {
                preconditionFailure("a file wrapper that is no directory has no children")
            }
            defer { state.content = .directory(children) }
            return body(&children)
        }
    }
}

extension FileWrapper {
    /// Reads what is at a URL now.
    public func read(from url: URL, options: ReadingOptions = []) throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        let content: Content
        switch attributes[.type] as? FileAttributeType {
        case .typeDirectory?:
            let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
            content = .directory(
                try Dictionary(
                    uniqueKeysWithValues: names.map { name in
                        (name, try FileWrapper(url: url.appendingPathComponent(name), options: options))
                    }))
        case .typeSymbolicLink?:
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: url.path)
            content = .link(URL(fileURLWithPath: target, relativeTo: url.deletingLastPathComponent()))
        case .typeRegular?:
            content = .file(try Data(contentsOf: url))
        default:
            throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: url.path])
        }
        let named = Dictionary(uniqueKeysWithValues: attributes.map { ($0.key.rawValue, $0.value) })
        withState { state in
            state = State(
                content: content, filename: url.lastPathComponent,
                preferredFilename: state.preferredFilename ?? url.lastPathComponent, attributes: named,
                stamp: FileStamp(url.path))
        }
    }

    /// Whether the file is as it was when it was last read or written; a directory only if its children are, too.
    public func matchesContents(of url: URL) -> Bool {
        let (stamp, content) = withState { ($0.stamp, $0.content) }
        guard let current = FileStamp(url.path), let stamp else { return false }
        guard case .directory(let children) = content else { return stamp == current }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: url.path) else { return false }
        let known = children.values.compactMap(\.filename)
        return current.inode == stamp.inode && Set(names) == Set(known)
            && children.values.allSatisfy { child in
                child.filename.map { child.matchesContents(of: url.appendingPathComponent($0)) } ?? false
            }
    }
}
