import StratusCZlib

/// Compresses and decompresses small data (RFC 1951), as Apple's Core Data does with the model in a store.
enum RawDeflate {
    /// Returns the compressed bytes; nil if zlib has no memory.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, zlibVersion(),
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        return run(&stream, bytes, capacity: Int(deflateBound(&stream, UInt(bytes.count)))) { deflate($0, Z_FINISH) }
    }

    /// Returns the decompressed bytes; nil if the data is not compressed so, or holds more than a limit.
    static func decompress(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        var stream = z_stream()
        guard inflateInit2_(&stream, -MAX_WBITS, zlibVersion(), Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&stream) }
        return run(&stream, bytes, capacity: limit) { inflate($0, Z_FINISH) }
    }

    private static func run(
        _ stream: inout z_stream, _ bytes: [UInt8], capacity: Int, _ step: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> [UInt8]? {
        guard let size = UInt32(exactly: bytes.count), let room = UInt32(exactly: capacity) else { return nil }
        var input = bytes
        var isWhole = false
        let output = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = size
                stream.next_out = buffer.baseAddress
                stream.avail_out = room
                isWhole = step(&stream) == Z_STREAM_END
            }
            count = isWhole ? Int(stream.total_out) : 0
        }
        return isWhole ? output : nil
    }
}
