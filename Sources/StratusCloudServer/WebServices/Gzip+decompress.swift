import StratusCZlib

/// Decompression of what clients send.
extension Gzip {
    /// Bytes of the header and the trailer of a gzip member (RFC 1952, section 2.3).
    private static let frameSize = 18

    /// Bytes that a member says it has when it is decompressed, in its last four bytes; nil if it is too short for one.
    static func statedSize(of bytes: [UInt8]) -> Int? {
        guard bytes.count >= frameSize else { return nil }
        return bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns the contents of one gzip member.
    /// - Parameter size: what it says that it holds. Nothing beyond it is decompressed.
    /// - Returns: nil if it is no whole member, holds more or less than it says, or something follows it.
    static func decompress(_ bytes: [UInt8], size: Int) -> [UInt8]? {
        guard let inputSize = UInt32(exactly: bytes.count), let outputSize = UInt32(exactly: size) else { return nil }
        var stream = z_stream()
        guard inflateInit2_(&stream, windowBits, zlibVersion(), Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&stream) }
        var input = bytes
        var isWhole = false
        // One byte more, so that there is a place for what must not come.
        let output = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = inputSize
                stream.next_out = buffer.baseAddress
                stream.avail_out = outputSize + 1
                isWhole =
                    inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0
                    && stream.total_out == UInt(size)
            }
            count = isWhole ? size : 0
        }
        return isWhole ? output : nil
    }
}
