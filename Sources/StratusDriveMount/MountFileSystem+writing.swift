import Glibc

/// Writing to open files.
extension MountFileSystem {
    /// Makes the copy that programs write to, unless it exists.
    func makeWritable(_ file: OpenFile, keepsContent: Bool = true) async throws {
        try await file.turn.run {
            guard !file.isWritable else { return }
            if keepsContent {
                try await self.load(file)
                try await file.wait()
            }
            let (name, descriptor) = try self.cache.makeUnsentFile()
            let former = file.state.withLock { $0 }
            do throws(SystemError) {
                if keepsContent, let source = former.descriptor {
                    // Another position than that of the descriptor, which others may use.
                    let copied = Glibc.open("/proc/self/fd/\(source.number)", O_RDONLY | O_CLOEXEC)
                    guard copied >= 0 else { throw .last }
                    try ContentCache.copy(from: Descriptor(copied), to: descriptor)
                }
            } catch {
                self.cache.remove(name)
                throw error
            }
            file.state.withLock { state in
                state.source = .working(name: name)
                state.descriptor = descriptor
                if !keepsContent { state.size = 0 }
                (state.isWhole, state.available, state.failure) = (true, state.size, nil)
            }
            self.release(former.source)
        }
    }

    func truncate(_ file: OpenFile, through handle: UInt64, to size: Int64) async throws {
        guard size <= Self.fileSize else { throw SystemError(EFBIG) }
        file.begin(handle)
        try await makeWritable(file, keepsContent: size > 0)
        try file.truncate(to: size)
    }

    /// `truncate(2)`: without an open file.
    func truncate(_ inode: UInt64, to size: Int64) async throws {
        let (file, handle) = try state.withLock { state throws(SystemError) in
            try Self.handle(for: inode, &state)
        }
        do {
            try await truncate(file, through: handle, to: size)
            try await publish(file, closing: handle)
        } catch {
            close(handle)
            throw error
        }
        close(handle)
    }

    /// The largest file that the kernel asks about.
    private static let fileSize = Int64.max >> 1
}
