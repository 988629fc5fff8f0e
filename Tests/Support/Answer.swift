import StratusHTTPClient

/// A response and its JSON.
public struct Answer: Sendable, CustomStringConvertible {
    /// The HTTP status.
    public let status: Int
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body as it came.
    public let text: String
    /// The body read as JSON, ``JSON/absent`` if it is none.
    public let json: JSON
    /// The request, for messages.
    public let request: String

    init(_ response: HTTPClientResponse, to request: HTTPClientRequest) {
        status = response.status
        headers = response.headers
        text = String(decoding: response.body, as: UTF8.self)
        json = (try? JSON(parsing: response.body)) ?? .absent
        let body = String(decoding: request.body.prefix(500), as: UTF8.self)
        self.request = "\(request.method) \(request.url.prefix { $0 != "?" }) \(body)"
    }

    /// The elements of `records`.
    public var records: [JSON] { json["records"].array ?? [] }
    /// The elements of `zones`.
    public var zones: [JSON] { json["zones"].array ?? [] }
    /// The code of a refused request.
    public var code: String? { json["serverErrorCode"].string }
    /// Everything, for messages of failed tests.
    public var description: String { "\(request)\n→ \(status) \(text.prefix(2_000))" }
}

/// An answer that is not what a test needs to go on.
public struct UnexpectedAnswer: Error, CustomStringConvertible {
    /// The answer.
    public let answer: Answer
    /// The answer.
    public var description: String { "unexpected answer: \(answer)" }

    /// An error about `answer`.
    public init(_ answer: Answer) { self.answer = answer }
}
