import Glibc
import StratusCFUSE
import StratusCloudModel

extension FileKind {
    /// The type in `st_mode`.
    var mode: mode_t {
        switch self {
        // A package is shown as the archive that its content is.
        case .file, .package: S_IFREG
        case .folder: S_IFDIR
        case .link: S_IFLNK
        }
    }
}

/// The functions that libfuse calls for the kernel's requests. Requests without one are refused by libfuse: extended
/// attributes, hard links and devices do not exist here.
enum FUSEOperations {
    static var table: fuse_lowlevel_ops {
        var table = fuse_lowlevel_ops()
        table.`init` = { _, connection in
            if let connection { _ = stratus_fuse_truncates_at_open(connection) }
        }
        addItems(&table)
        addChanges(&table)
        addFolders(&table)
        addContents(&table)
        return table
    }

    private static func addItems(_ table: inout fuse_lowlevel_ops) {
        table.lookup = { pointer, parent, text in
            guard let request = FUSERequest(pointer) else { return }
            request.now { fileSystem in
                // No item can have an invalid name.
                guard let name = try? decoded(text) else { throw SystemError(ENOENT) }
                guard name.utf8.count <= FileLimits.nameSize else { throw SystemError(ENAMETOOLONG) }
                request.reply(entry: try fileSystem.lookUp(name, in: parent), as: name)
            }
        }
        table.getattr = { pointer, inode, _ in
            guard let request = FUSERequest(pointer) else { return }
            request.now { request.reply(try $0.attributes(of: inode)) }
        }
        table.readlink = { pointer, inode in
            guard let request = FUSERequest(pointer) else { return }
            request.now { fileSystem in
                guard let target = try fileSystem.item(inode).target else { throw SystemError(EINVAL) }
                request.reply(link: target)
            }
        }
        table.setattr = { pointer, inode, status, fields, information in
            guard let request = FUSERequest(pointer), let status = status?.pointee else { return }
            let handle = information?.pointee.fh
            let change = AttributeChange(status, fields)
            request.later { fileSystem in
                try await change.apply(to: inode, handle, fileSystem)
                request.reply(try fileSystem.attributes(of: inode))
            }
        }
        table.statfs = { pointer, _ in
            guard let request = FUSERequest(pointer) else { return }
            request.now { request.reply($0.statistics) }
        }
    }

    private static func addChanges(_ table: inout fuse_lowlevel_ops) {
        table.mkdir = { pointer, parent, text, _ in
            guard let request = FUSERequest(pointer) else { return }
            request.now { _ in
                let name = try decoded(text)
                request.later { request.reply(entry: try await $0.makeFolder(name, in: parent), as: name) }
            }
        }
        table.symlink = { pointer, link, parent, text in
            guard let request = FUSERequest(pointer) else { return }
            request.now { _ in
                let (name, target) = (try decoded(text), try decoded(link))
                request.later { fileSystem in
                    request.reply(entry: try await fileSystem.makeLink(name, to: target, in: parent), as: name)
                }
            }
        }
        table.unlink = { pointer, parent, text in
            guard let request = FUSERequest(pointer) else { return }
            request.now { _ in
                let name = try decoded(text)
                request.later { fileSystem in
                    try await fileSystem.remove(name, in: parent, isFolder: false)
                    request.reply()
                }
            }
        }
        table.rmdir = { pointer, parent, text in
            guard let request = FUSERequest(pointer) else { return }
            request.now { _ in
                let name = try decoded(text)
                request.later { fileSystem in
                    try await fileSystem.remove(name, in: parent, isFolder: true)
                    request.reply()
                }
            }
        }
        table.rename = { pointer, parent, text, newParent, newText, flags in
            guard let request = FUSERequest(pointer) else { return }
            request.now { _ in
                let (name, newName) = (try decoded(text), try decoded(newText))
                request.later { fileSystem in
                    try await fileSystem.rename(name, in: parent, to: newName, in: newParent, flags: flags)
                    request.reply()
                }
            }
        }
        table.link = { pointer, _, _, _ in FUSERequest(pointer)?.reply(error: EPERM) }
        table.mknod = { pointer, parent, text, mode, _ in
            guard let request = FUSERequest(pointer) else { return }
            request.now { fileSystem in
                guard mode & S_IFMT == S_IFREG else { throw SystemError(EPERM) }
                let name = try decoded(text)
                request.later { fileSystem in
                    let (attributes, handle) = try fileSystem.create(
                        name, isExecutable: mode & 0o100 != 0, in: parent)
                    defer { fileSystem.close(handle) }
                    try await fileSystem.publish(try fileSystem.file(handle), closing: handle)
                    request.reply(entry: attributes, as: name)
                }
            }
        }
    }

    private static func addFolders(_ table: inout fuse_lowlevel_ops) {
        table.opendir = { pointer, inode, _ in
            guard let request = FUSERequest(pointer) else { return }
            request.now { request.reply(handle: try $0.openFolder(inode)) }
        }
        table.readdir = { pointer, _, size, offset, information in
            guard let request = FUSERequest(pointer), let handle = information?.pointee.fh else { return }
            request.now { try request.reply(folder: handle, of: $0, from: Int(offset), size: size) }
        }
        table.readdirplus = { pointer, _, size, offset, information in
            guard let request = FUSERequest(pointer), let handle = information?.pointee.fh else { return }
            request.now { try request.reply(folderWithAttributes: handle, of: $0, from: Int(offset), size: size) }
        }
        table.releasedir = { pointer, _, information in
            guard let request = FUSERequest(pointer), let handle = information?.pointee.fh else { return }
            request.now { fileSystem in
                fileSystem.closeFolder(handle)
                request.reply()
            }
        }
        table.fsyncdir = { pointer, _, _, _ in FUSERequest(pointer)?.reply() }
    }

    private static func addContents(_ table: inout fuse_lowlevel_ops) {
        table.create = { pointer, parent, text, mode, _ in
            guard let request = FUSERequest(pointer) else { return }
            request.now { fileSystem in
                let name = try decoded(text)
                let (attributes, handle) = try fileSystem.create(name, isExecutable: mode & 0o100 != 0, in: parent)
                request.reply(created: attributes, as: name, handle: handle)
            }
        }
        table.open = { pointer, inode, information in
            guard let request = FUSERequest(pointer), let flags = information?.pointee.flags else { return }
            let truncates = flags & O_TRUNC != 0 && flags & O_ACCMODE != O_RDONLY
            request.later { request.reply(handle: try await $0.open(inode, truncates: truncates)) }
        }
        table.read = { pointer, _, size, offset, information in
            guard let request = FUSERequest(pointer), let handle = information?.pointee.fh else { return }
            request.now { fileSystem in
                let file = try fileSystem.file(handle)
                guard file.isReady(until: Int64(offset) + Int64(size)) else {
                    return request.later { _ in
                        try await file.wait(until: Int64(offset) + Int64(size))
                        try request.read(file, size, at: Int64(offset))
                    }
                }
                try request.read(file, size, at: Int64(offset))
            }
        }
        table.write = { pointer, _, bytes, size, offset, information in
            guard let request = FUSERequest(pointer), let handle = information?.pointee.fh else { return }
            request.now { fileSystem in
                let file = try fileSystem.file(handle)
                file.begin(handle)
                let buffer = UnsafeRawBufferPointer(start: bytes, count: size)
                guard file.isWritable else {
                    // The bytes are the kernel's only until this returns.
                    let copy = Array(buffer)
                    return request.later { fileSystem in
                        try await fileSystem.makeWritable(file)
                        try copy.withUnsafeBytes { bytes in
                            try file.write(bytes, at: Int64(offset))
                        }
                        request.reply(written: copy.count)
                    }
                }
                try file.write(buffer, at: Int64(offset))
                request.reply(written: size)
            }
        }
        table.flush = { pointer, _, information in
            guard let request = FUSERequest(pointer), let handle = information?.pointee.fh else { return }
            request.later { fileSystem in
                try await fileSystem.publish(try fileSystem.file(handle), closing: handle)
                request.reply()
            }
        }
        table.fsync = { pointer, _, _, information in
            guard let request = FUSERequest(pointer), let handle = information?.pointee.fh else { return }
            request.later { fileSystem in
                try await fileSystem.synchronize(try fileSystem.file(handle))
                request.reply()
            }
        }
        table.release = { pointer, _, information in
            guard let request = FUSERequest(pointer), let handle = information?.pointee.fh else { return }
            request.now { fileSystem in
                fileSystem.close(handle)
                request.reply()
            }
        }
    }
}

/// A name from the kernel, which knows bytes only.
private func decoded(_ pointer: UnsafePointer<CChar>?) throws(SystemError) -> String {
    guard let pointer else { throw SystemError(EINVAL) }
    guard let name = String(validatingCString: pointer) else { throw SystemError(EILSEQ) }
    return name
}

extension FUSERequest {
    fileprivate func read(_ file: OpenFile, _ size: Int, at offset: Int64) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        let count = try file.read(buffer, at: offset)
        reply(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
}

/// Attributes that a program sets.
private struct AttributeChange: Sendable {
    var size: Int64?
    var modified: Int64?
    var isExecutable: Bool?
    var isOtherOwner = false

    init(_ status: stat, _ fields: Int32) {
        func has(_ field: Int) -> Bool { fields & Int32(field) != 0 }
        if has(stratus_fuse_set_size) { size = Int64(status.st_size) }
        if has(stratus_fuse_set_mtime_now) {
            modified = MountedItem.now
        } else if has(stratus_fuse_set_mtime) {
            modified = Int64(status.st_mtim.tv_sec) * 1_000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
        }
        if has(stratus_fuse_set_mode) { isExecutable = status.st_mode & 0o100 != 0 }
        if has(stratus_fuse_set_uid), status.st_uid != getuid() { isOtherOwner = true }
        if has(stratus_fuse_set_gid), status.st_gid != getgid() { isOtherOwner = true }
    }

    func apply(to inode: UInt64, _ handle: UInt64?, _ fileSystem: MountFileSystem) async throws {
        // All files belong to the person.
        guard !isOtherOwner else { throw SystemError(EPERM) }
        if let size {
            guard size >= 0 else { throw SystemError(EINVAL) }
            if let handle {
                try await fileSystem.truncate(try fileSystem.file(handle), through: handle, to: size)
            } else {
                try await fileSystem.truncate(inode, to: size)
            }
        }
        guard modified != nil || isExecutable != nil, inode != MountFileSystem.rootInode else { return }
        let kind = try fileSystem.attributes(of: inode).kind
        try await fileSystem.setAttributes(
            inode, modified: modified, isExecutable: kind == .file ? isExecutable : nil)
    }
}
