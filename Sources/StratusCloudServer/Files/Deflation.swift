import StratusCZlib
import StratusCloudModel

/// Compresses one content after the other (RFC 1951), with little effort, because somebody waits for it.
final class Deflation {
    private static let memoryLevel: Int32 = 8
    private static let bufferSize = 65_536

    private var stream = z_stream()

    /// - Throws: `internalError` if zlib has no memory.
    init() throws(CloudError) {
        // Without a header of its own, which negative bits mean.
        let status = deflateInit2_(
            &stream, Z_BEST_SPEED, Z_DEFLATED, -MAX_WBITS, Self.memoryLevel, Z_DEFAULT_STRATEGY, zlibVersion(),
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw CloudError(.internalError, "there is no memory to compress files") }
    }

    deinit { deflateEnd(&stream) }

    /// Takes bytes of the content.
    /// - Parameter isLast: Whether the content ends with them; then another may begin.
    func run(_ bytes: [UInt8], isLast: Bool) throws(CloudError) -> [UInt8] {
        var input = bytes
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
        var status = Z_OK
        input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(clamping: input.count)
            repeat {
                buffer.withUnsafeMutableBufferPointer { buffer in
                    stream.next_out = buffer.baseAddress
                    stream.avail_out = UInt32(clamping: buffer.count)
                    status = deflate(&stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                }
                output += buffer[..<(Self.bufferSize - Int(stream.avail_out))]
            } while stream.avail_out == 0 && status == Z_OK
        }
        if isLast, status == Z_STREAM_END { status = deflateReset(&stream) }
        guard status == Z_OK || status == Z_BUF_ERROR && !isLast else {
            throw CloudError(.internalError, "a file could not be compressed")
        }
        return output
    }
}
