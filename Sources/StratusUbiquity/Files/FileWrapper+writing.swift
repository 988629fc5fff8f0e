import Foundation
import Glibc
import StratusCUbiquity

extension FileWrapper {
    /// See ``write(to:options:originalContentsURL:)``.
    func writeItem(to url: URL, _ options: WritingOptions, originalContentsURL: URL?) throws {
        guard options.contains(.atomic) else {
            try putAll(at: url, original: originalContentsURL)
            if options.contains(.withNameUpdating) { noteWritten(at: url) }
            return
        }
        let temporary = FileReplacement.temporaryPlace(beside: url)
        do {
            try putAll(at: temporary, original: originalContentsURL)
            try Self.exchange(temporary, into: url)
        } catch {
            try? FileManager.default.removeItem(at: temporary)
            throw error
        }
        if options.contains(.withNameUpdating) { noteWritten(at: url) }
    }

    /// Puts a new item in the place of another, which may be a directory.
    static func exchange(_ new: URL, into place: URL) throws {
        guard rename(new.path, place.path) != 0 else { return }
        // Only an empty directory can be replaced by a rename.
        guard [ENOTEMPTY, EEXIST, EISDIR, ENOTDIR].contains(errno), stratus_exchange(new.path, place.path) == 0 else {
            throw CoordinationDirectory.error(errno, place.path)
        }
        try FileManager.default.removeItem(at: new)
    }

    /// Writes the wrapper and everything in it, and remembers what was written.
    private func putAll(at url: URL, original: URL?) throws {
        var written: [Written] = []
        try put(at: url, original: original, &written)
        if let own = written.popLast() {
            written.append(Written(wrapper: nil, filename: own.filename, stamp: own.stamp))
        }
        withState { $0.written = written }
    }

    private func put(at url: URL, original: URL?, _ written: inout [Written]) throws {
        let (content, attributes) = withState { ($0.content, $0.attributes) }
        // The stamp of a directory after everything in it was written.
        defer { written.append(Written(wrapper: self, filename: url.lastPathComponent, stamp: FileStamp(url.path))) }
        switch content {
        case .link(let target):
            guard let target else { throw CocoaError(.fileWriteUnknown) }
            let path = target.baseURL == nil ? target.path : target.relativePath
            try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: path)
            return
        case .file(let data):
            if let original, matchesContents(of: original), link(original.path, url.path) == 0 { return }
            try data.write(to: url)
        case .directory(let children):
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            FilePackage.mark(url.path)
            for (key, child) in children {
                guard FileWrapperSerialization.isName(key) else {
                    throw CocoaError(.fileWriteInvalidFileName, userInfo: [NSFilePathErrorKey: key])
                }
                let before = child.filename.flatMap { original?.appendingPathComponent($0) }
                try child.put(at: url.appendingPathComponent(key), original: before, &written)
            }
        }
        if let permissions = attributes[FileAttributeKey.posixPermissions.rawValue] {
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
        }
    }

    /// Lets the wrappers that were written last take the names and stamps of their files. Those that came meanwhile are
    /// not written yet.
    /// - Parameter url: Where the item is now.
    func noteWritten(at url: URL) {
        let written = withState { state in
            defer { state.written = [] }
            return state.written
        }
        for item in written {
            let filename = item.wrapper == nil ? url.lastPathComponent : item.filename
            (item.wrapper ?? self).withState { ($0.filename, $0.stamp) = (filename, item.stamp) }
        }
    }
}

/// Wrappers as property lists.
enum FileWrapperSerialization {
    /// Wrappers inside each other: directories, and a file or link in the innermost one.
    static let depth = 64

    /// Whether a key can be the name of a file, and does not lead out of its directory.
    static func isName(_ key: String) -> Bool {
        !key.isEmpty && key != "." && key != ".." && !key.contains("/") && !key.contains("\0")
    }

    static func data(of wrapper: FileWrapper) -> Data? {
        guard let list = list(of: wrapper, depth) else { return nil }
        return try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    }

    static func state(of data: Data) -> FileWrapper.State? {
        let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        return (list as? [String: Any]).flatMap { state(of: $0, depth) }
    }

    private static func list(of wrapper: FileWrapper, _ depth: Int) -> [String: Any]? {
        guard depth > 0 else { return nil }
        var list: [String: Any] = [:]
        list["filename"] = wrapper.filename
        list["preferredFilename"] = wrapper.preferredFilename
        let permissions = wrapper.fileAttributes[FileAttributeKey.posixPermissions.rawValue] as? NSNumber
        list["permissions"] = permissions?.intValue
        if wrapper.isRegularFile {
            list["contents"] = wrapper.regularFileContents
        } else if wrapper.isSymbolicLink {
            guard let url = wrapper.symbolicLinkDestinationURL else { return nil }
            list["destination"] = url.baseURL == nil ? url.path : url.relativePath
        } else {
            var children: [String: Any] = [:]
            for (key, child) in wrapper.fileWrappers ?? [:] {
                guard let child = self.list(of: child, depth - 1) else { return nil }
                children[key] = child
            }
            list["children"] = children
        }
        return list
    }

    private static func state(of list: [String: Any], _ depth: Int) -> FileWrapper.State? {
        guard depth > 0 else { return nil }
        let content: FileWrapper.Content
        if let data = list["contents"] as? Data {
            content = .file(data)
        } else if let path = list["destination"] as? String {
            content = .link(URL(fileURLWithPath: path))
        } else if let children = list["children"] as? [String: [String: Any]] {
            var wrappers: [String: FileWrapper] = [:]
            for (key, child) in children {
                guard isName(key), let state = state(of: child, depth - 1) else { return nil }
                wrappers[key] = FileWrapper(state)
            }
            content = .directory(wrappers)
        } else {
            return nil
        }
        var state = FileWrapper.State(content: content)
        state.filename = list["filename"] as? String
        state.preferredFilename = list["preferredFilename"] as? String
        if let permissions = list["permissions"] as? Int {
            state.attributes[FileAttributeKey.posixPermissions.rawValue] = NSNumber(value: permissions)
        }
        return state
    }
}
