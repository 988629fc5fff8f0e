import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPTransport

/// `/sign-in/device` and `/sign-out`: a program on a person's own machine takes up its session, and gives it back.
struct DeviceSignInHandler: Sendable {
    let service: CloudService
    let address: PublicAddress

    /// A form with `code` and `secret`, or with `state`, `email` and `password`.
    func signIn(_ request: HTTPRequest, requestUUID: String) async -> WebServiceAnswer {
        do throws(CloudError) {
            let fields = try fields(of: request)
            let agent = request.head.headers["User-Agent"]
            let signIn: SignIn
            if let code = fields["code"], let secret = fields["secret"] {
                signIn = try await service.signInDevice(code: code, secret: secret, agent: agent)
            } else if let state = fields["state"], let email = fields["email"], let password = fields["password"] {
                let context = try await service.signInRequest(state: state).context
                signIn = try await service.signInDevice(
                    email: email, password: password, context: context, source: address.network(of: request.head),
                    agent: agent)
            } else {
                throw CloudError(.badRequest, "give code and secret, or state, email and password")
            }
            return WebServiceAnswer(
                Self.object([("ckWebAuthToken", signIn.webAuthToken), ("userRecordName", signIn.userRecordName)]))
        } catch {
            return WebServiceAnswer(refusing: error, requestUUID: requestUUID)
        }
    }

    /// A form with `ckWebAuthToken`. Answered alike whether the token was valid.
    func signOut(_ request: HTTPRequest, requestUUID: String) async -> WebServiceAnswer {
        do throws(CloudError) {
            guard let token = try fields(of: request)["ckWebAuthToken"] else {
                throw CloudError(.badRequest, "'ckWebAuthToken' is missing")
            }
            try await service.endSession(webAuthToken: token)
            return WebServiceAnswer(Self.object([]))
        } catch {
            return WebServiceAnswer(refusing: error, requestUUID: requestUUID)
        }
    }

    private func fields(of request: HTTPRequest) throws(CloudError) -> FormFields {
        // No page has a reason to send these: another site's could only guess passwords from its visitors' addresses.
        guard request.head.headers["Sec-Fetch-Site"] == nil, request.head.headers["Origin"] == nil else {
            throw CloudError(.accessDenied, "web pages cannot send this request")
        }
        guard let fields = FormFields(request.body.bytes) else {
            throw CloudError(.badRequest, "the form is incomplete")
        }
        return fields
    }

    private static func object(_ members: [(String, String)]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in members {
            writer.key(named: name)
            writer.string(value)
        }
        writer.endObject()
        return writer.bytes
    }
}
