import Glibc
import StratusCFUSE
import StratusCloudModel

extension FUSERequest {
    /// Answers with as many items of an open folder as fit.
    func reply(folder handle: UInt64, of fileSystem: MountFileSystem, from offset: Int, size: Int) throws(SystemError) {
        let listing = try fileSystem.listing(handle, from: offset)
        reply(listing, from: offset, size: size) { item, rest, next in
            var status = item.status
            return fuse_add_direntry(pointer, rest.baseAddress, rest.count, item.name, &status, next)
        }
    }

    /// Answers with as many items of an open folder as fit, and with their attributes, for which the kernel would
    /// otherwise ask one by one.
    func reply(
        folderWithAttributes handle: UInt64, of fileSystem: MountFileSystem, from offset: Int, size: Int
    ) throws(SystemError) {
        let listing = try fileSystem.listing(handle, from: offset)
        reply(listing, from: offset, size: size) { item, rest, next in
            // Without an inode the kernel takes the name only: that of a folder it has already, or of an item that is
            // gone since the program began to read.
            var entry = fuse_entry_param()
            entry.attr = item.status
            if item.name != ".", item.name != "..", let attributes = try? fileSystem.attributes(of: item.inode) {
                entry = Self.entry(attributes, as: item.name)
            }
            return fuse_add_direntry_plus(pointer, rest.baseAddress, rest.count, item.name, &entry, next)
        }
    }

    /// - Parameter add: Adds an item to the rest of the buffer, and returns the bytes that it needs.
    private func reply(
        _ listing: [MountFileSystem.ListedItem], from offset: Int, size: Int,
        add: (MountFileSystem.ListedItem, UnsafeMutableBufferPointer<CChar>, off_t) -> Int
    ) {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer in
            var filled = 0
            for index in listing.indices.dropFirst(max(0, offset)) {
                let rest = UnsafeMutableBufferPointer(rebasing: buffer[filled...])
                let needed = add(listing[index], rest, off_t(index + 1))
                guard needed <= rest.count else { break }
                filled += needed
            }
            reply(UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[..<filled])))
        }
    }
}

extension MountFileSystem.ListedItem {
    /// The attributes that every entry of a folder has.
    fileprivate var status: stat {
        var status = stat()
        status.st_ino = ino_t(inode)
        status.st_mode = kind.mode
        return status
    }
}
