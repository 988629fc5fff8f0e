/// An HTTP client on libcurl: HTTP/1.1, and HTTP/2 where TLS offers it, with connections kept for later requests.
///
/// All clients of one kind of peer should be one client: connections are shared only inside it. It has a thread of its
/// own, which ends with the client. Redirects are answered to the caller, not followed.
public final class HTTPClient: Sendable {
    private let options: HTTPClientOptions
    private let loop: TransferLoop

    /// A client with these options.
    public init(options: HTTPClientOptions = HTTPClientOptions()) {
        self.options = options
        loop = TransferLoop(options: options)
        loop.startThread()
    }

    deinit { loop.stop() }

    /// Sends `request` and waits for the whole response, of any status.
    ///
    /// A cancelled task makes it throw `cancelled` at once and closes the connection or resets the stream.
    public func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        try request.validate()
        let transfer = Transfer(request, options: options)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfer.continuation = continuation
                loop.start(transfer)
            }
        } onCancel: {
            loop.cancel(transfer)
        }
        return try outcome.get()
    }
}
