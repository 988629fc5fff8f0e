import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// Holds what people and devices send without credentials (pages, sign-ins) to the rate of their address. Web services are
/// held to it where credentials are checked.
struct AddressRate: Sendable {
    let service: CloudService
    let address: PublicAddress
    private let delay = RefusalDelay()

    init(service: CloudService, address: PublicAddress) {
        self.service = service
        self.address = address
    }

    /// Why a request is not answered now; nil if it is. Who is refused waits a moment for it.
    func refusal(of head: HTTPRequestHead) async -> CloudError? {
        do throws(CloudError) {
            try service.admit(from: address.network(of: head))
            return nil
        } catch {
            await delay.wait()
            return error
        }
    }

    /// The refusal of a page, for people.
    static func page(_ error: CloudError) -> HTTPResponse {
        var response = PageResponse.make(
            status: error.code.httpStatus, Page.failure(title: "Please wait", explanation: error.sentence))
        if let seconds = error.retryAfter { response.headers.append(("Retry-After", String(seconds))) }
        return response
    }
}
