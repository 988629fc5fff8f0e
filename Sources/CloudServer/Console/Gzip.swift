import CZlib

/// Compression for clients that take gzip (RFC 1952).
enum Gzip {
    /// Beside the level's effort, 15 bits of window, and 16 for gzip's own header.
    private static let windowBits: Int32 = 15 + 16
    private static let memoryLevel: Int32 = 8

    /// The bytes, compressed as far as zlib can; nil if it has no memory for that.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        guard let size = UInt32(exactly: bytes.count) else { return nil }
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, Z_BEST_COMPRESSION, Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY, zlibVersion(),
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes
        let bound = Int(deflateBound(&stream, UInt(size)))
        var isWhole = false
        let output = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = size
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(clamping: buffer.count)
                isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
            count = isWhole ? Int(stream.total_out) : 0
        }
        return isWhole ? output : nil
    }
}
