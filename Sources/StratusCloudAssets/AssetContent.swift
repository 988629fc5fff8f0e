import Glibc

/// The bytes of a file, open for reading.
public struct AssetContent: Sendable {
    /// Where bytes are read from.
    public enum Source: Sendable {
        case file(AssetFile)
        case bytes([UInt8])
    }

    /// Where to read.
    public let source: Source
    /// Bytes.
    public let size: Int64
    /// Tells whether the file is the same, unchanged, as when it was opened before; nil if nothing tells.
    public let stamp: AssetStamp?

    /// Content of a source that has so many bytes.
    public init(_ source: Source, size: Int64, stamp: AssetStamp? = nil) {
        self.source = source
        self.size = size
        self.stamp = stamp
    }

    /// Reads at most `count` bytes from `offset`; none at the end. Blocks.
    public func read(at offset: Int64, count: Int) throws(AssetStoreError) -> [UInt8] {
        switch source {
        case .file(let file): return try file.read(at: offset, count: count)
        case .bytes(let bytes):
            let start = Int(min(max(0, offset), Int64(bytes.count)))
            return Array(bytes[start..<min(bytes.count, start + count)])
        }
    }
}

/// An open file; closed when nobody holds it any more.
public final class AssetFile: Sendable {
    private let descriptor: Int32

    /// Takes over a descriptor.
    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// A descriptor of the same file for somebody who will close it.
    public func duplicate() throws(AssetStoreError) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw AssetStoreError(system: errno, while: "opening an asset again") }
        return copy
    }

    func read(at offset: Int64, count: Int) throws(AssetStoreError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let space = buffer.baseAddress.map { $0 + filled }
                let got = pread(descriptor, space, count - filled, off_t(offset + Int64(filled)))
                if got > 0 {
                    filled += got
                } else if got == 0 {
                    return
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        guard failure == 0 else { throw AssetStoreError(system: failure, while: "reading an asset") }
        return bytes
    }
}
