import StratusHTTPTransport

/// The file of a form, in pieces as the request's body brings them.
struct FormFile: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let body: HTTPRequestBody
    let boundary: [UInt8]

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pieces: body.makeAsyncIterator(), parser: FormFileParser(boundary: boundary))
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var pieces: HTTPRequestBody.AsyncIterator
        fileprivate var parser: FormFileParser

        /// - Throws: what reading the body throws, and `CloudError` for a form that is not one part.
        mutating func next() async throws -> [UInt8]? {
            while let piece = try await pieces.next() {
                let file = try parser.take(piece)
                if !file.isEmpty { return file }
            }
            try parser.finish()
            return nil
        }
    }
}
