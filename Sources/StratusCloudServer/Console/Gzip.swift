import StratusCZlib
import StratusHTTPTransport

/// Compression for clients that take gzip (RFC 1952).
enum Gzip {
    /// Beside the level's effort, 15 bits of window, and 16 for gzip's own header.
    static let windowBits: Int32 = 15 + 16
    private static let memoryLevel: Int32 = 8

    /// How much work is put into it.
    enum Effort {
        /// For what is compressed once and sent often.
        case most
        /// For what is compressed while somebody waits for it.
        case usual

        fileprivate var level: Int32 {
            switch self {
            case .most: Z_BEST_COMPRESSION
            case .usual: Z_DEFAULT_COMPRESSION
            }
        }
    }

    /// The bytes, compressed; nil where that gains nothing, and if zlib has no memory for it.
    static func compress(_ bytes: [UInt8], _ effort: Effort) -> [UInt8]? {
        guard let size = UInt32(exactly: bytes.count) else { return nil }
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, effort.level, Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY, zlibVersion(),
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
        return isWhole && output.count < bytes.count ? output : nil
    }
}

extension HTTPRequestHead {
    /// Whether the client says that it takes gzip, and not that it does not.
    var takesGzip: Bool {
        headers.all("Accept-Encoding").contains { value in
            value.split(separator: ",").contains { item in
                let words = item.split(separator: ";").map { word in
                    word.filter { $0 != " " && $0 != "\t" }.lowercased()
                }
                guard words.first == "gzip" else { return false }
                return !words.dropFirst().contains { word in
                    word.hasPrefix("q=") && word.dropFirst(2).allSatisfy { $0 == "0" || $0 == "." }
                }
            }
        }
    }
}
