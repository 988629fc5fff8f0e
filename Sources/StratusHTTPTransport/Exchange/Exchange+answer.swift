import Glibc
import StratusCMicroHTTPD

/// Turns a handler's response into the library's, on the handler's task.
extension Exchange {
    typealias Writer = @Sendable (HTTPBodyWriter) async throws -> Void

    func makeAnswer(_ response: HTTPResponse, to head: HTTPRequestHead) -> (Answer, OutgoingStream?, Writer?) {
        let status = (200..<600).contains(response.status) ? response.status : 500
        let sendsBody = head.method != "HEAD" && status != 204 && status != 304
        var stream: OutgoingStream?
        var writer: Writer?
        var bodyBytes: Int64 = 0
        var bufferedBytes = 0
        var lease: FileLease?
        let made: OpaquePointer?
        switch response.body {
        case .empty: made = transport_copied_response(0, "")
        case .later: made = nil
        case .bytes(let bytes):
            made = Self.response(of: bytes)
            bodyBytes = Int64(bytes.count)
            bufferedBytes = bytes.count
        case .file(let file, let offset, let length):
            lease = core.registry.leaseFile()
            guard lease != nil else { return (Self.unavailable, nil, nil) }
            made = Self.response(of: file, offset, length)
            bodyBytes = length
        case .stream(let contentLength, let write):
            let outgoing = OutgoingStream(
                exchange: self, capacity: core.limits.streamBufferBytes, contentLength: contentLength,
                endsWithConnection: contentLength == nil && !isVersion11)
            made = Self.response(of: outgoing, contentLength: contentLength)
            if sendsBody { (stream, writer) = (outgoing, write) }
        }
        guard let made else { return (Self.failure, nil, nil) }
        for (name, value) in response.headers { Self.add(name, value, to: made) }
        let answer = Answer(
            status: status, response: made, bodyBytes: sendsBody ? bodyBytes : 0, bufferedBytes: bufferedBytes,
            file: lease)
        return (answer, stream, writer)
    }

    /// Up to here bytes are copied into the response, which the socket then takes in as few calls as it can; of larger
    /// bodies one block at a time is. Blocks are filled with zeros first, which copies are not.
    private static let copiedBytes = 1_048_576
    /// What is copied of a larger body at a time.
    private static let bodyBlockBytes = 262_144
    /// What the library reads from a stream at a time.
    private static let blockBytes = 32_768

    private static var failure: Answer { empty(status: 500) }

    /// There is no descriptor for a file.
    private static var unavailable: Answer {
        let answer = empty(status: 503)
        MHD_add_response_header(answer.response, "Retry-After", RawAnswer.retryAfter)
        return answer
    }

    private static func empty(status: Int) -> Answer {
        // The library answers null only when the process has no memory left, and then nothing can go on.
        guard let response = transport_copied_response(0, "") else { preconditionFailure("no memory for a response") }
        return Answer(status: status, response: response)
    }

    private static func response(of bytes: [UInt8]) -> OpaquePointer? {
        if bytes.count <= copiedBytes {
            return bytes.withUnsafeBytes { transport_copied_response($0.count, $0.baseAddress) }
        }
        return response(of: Int64(bytes.count), bodyBlockBytes, reading: WholeBody(bytes), by: readBody)
    }

    /// - Parameter reader: is given the object.
    private static func response(
        of length: Int64, _ blockBytes: Int, reading object: AnyObject, by reader: MHD_ContentReaderCallback
    ) -> OpaquePointer? {
        let context = Unmanaged.passRetained(object).toOpaque()
        if let response = transport_read_response(length, blockBytes, reader, context, releaseObject) {
            return response
        }
        releaseObject(context)
        return nil
    }

    private static func response(of file: HTTPFile, _ offset: Int64, _ length: Int64) -> OpaquePointer? {
        // The library would wait on a file that ends too early until the connection's time is over.
        var status = stat()
        guard offset >= 0, length >= 0, fstat(file.descriptor, &status) == 0, offset <= Int64(status.st_size),
            length <= Int64(status.st_size) - offset
        else { return nil }
        let descriptor = file.duplicate()
        guard descriptor >= 0 else { return nil }
        let response = MHD_create_response_from_fd_at_offset64(UInt64(length), descriptor, UInt64(offset))
        if response == nil { close(descriptor) }
        return response
    }

    private static func response(of stream: OutgoingStream, contentLength: Int64?) -> OpaquePointer? {
        response(of: contentLength ?? -1, blockBytes, reading: stream, by: readStream)
    }

    private static func add(_ name: String, _ value: String, to response: OpaquePointer) {
        guard isToken(name), !isServersAffair(name, value) else { return }
        guard value.hasControls else { return addClean(name, value, to: response) }
        let cleaned = value.utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }
        addClean(name, String(decoding: cleaned, as: UTF8.self), to: response)
    }

    /// Hands over the texts where they lie: given as they are, they would be copied into arrays first.
    private static func addClean(_ name: String, _ value: String, to response: OpaquePointer) {
        name.withCString { name in value.withCString { _ = MHD_add_response_header(response, name, $0) } }
    }

    /// The library itself leaves `Content-Length` out.
    private static func isServersAffair(_ name: String, _ value: String) -> Bool {
        switch name.utf8.count {
        case 10: name.lowercased() == "connection" && value.lowercased() != "close"
        case 17: name.lowercased() == "transfer-encoding"
        default: false
        }
    }

    private static func isToken(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            guard let first = bytes.baseAddress, !bytes.isEmpty else { return false }
            return transport_token_length(first, bytes.count) == bytes.count
        }
    }
}

/// A body that is there as a whole.
private final class WholeBody: Sendable {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Copies what follows `position`, as much as there is room for.
    func read(from position: UInt64, into room: UnsafeMutableRawBufferPointer) -> Int {
        guard let start = Int(exactly: position), start < bytes.count else { return transport_end_of_stream }
        let count = min(bytes.count - start, room.count)
        bytes.withUnsafeBytes { room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
        return count
    }
}

private func readBody(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ space: UnsafeMutablePointer<CChar>?, _ room: Int
) -> Int {
    guard let context, let space else { return transport_end_with_error }
    let body = Unmanaged<WholeBody>.fromOpaque(context).takeUnretainedValue()
    return body.read(from: position, into: UnsafeMutableRawBufferPointer(start: space, count: room))
}

private func readStream(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ space: UnsafeMutablePointer<CChar>?, _ room: Int
) -> Int {
    guard let context, let space else { return transport_end_with_error }
    let stream = Unmanaged<OutgoingStream>.fromOpaque(context).takeUnretainedValue()
    return stream.read(into: UnsafeMutableRawBufferPointer(start: space, count: room))
}

private func releaseObject(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<AnyObject>.fromOpaque(context).release()
}
