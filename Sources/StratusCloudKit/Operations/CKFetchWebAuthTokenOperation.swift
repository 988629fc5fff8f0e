import Foundation

/// Fetches a web auth token of the current user, for a page or program that speaks the web services of the same container.
///
/// It is a session of its own: it is valid two weeks, and signing it out leaves this device signed in. Percent-encode it
/// where it goes into an address.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKFetchWebAuthTokenOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The API token that the web auth token will be used with; one of the same container and environment.
    open var apiToken: String?
    /// Told the token, or why there is none.
    open var fetchWebAuthTokenResultBlock: ((Result<String, any Error>) -> Void)?
    /// As ``fetchWebAuthTokenResultBlock``, before Swift had results. Deprecated at Apple.
    open var fetchWebAuthTokenCompletionBlock: ((String?, (any Error)?) -> Void)?

    private var token: String?

    /// An operation that has no API token yet.
    public override init() { super.init() }

    /// An operation that fetches a token for a client with this API token.
    public convenience init(apiToken: String) {
        self.init()
        self.apiToken = apiToken
    }

    override func run() async throws {
        guard let apiToken else { throw NSError.cloudKit(.invalidArguments, "The operation needs an API token.") }
        _ = try await client.writersNames()
        token = try await client.send(.webAuthToken(apiToken: apiToken)) { answer throws(CloudTransportError) in
            try answer.webAuthToken()
        }
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            if let block = fetchWebAuthTokenResultBlock {
                block(
                    result.flatMap {
                        token.map { .success($0) } ?? .failure(NSError.cloudKit(.internalError, "There is no answer."))
                    })
            } else {
                fetchWebAuthTokenCompletionBlock?(result.failure == nil ? token : nil, result.failure)
            }
        }
    }
}
