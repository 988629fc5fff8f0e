import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// `/sign-in`: a form for a person, whose state an app brought in the address.
struct SignInHandler: Sendable {
    let service: CloudService
    let address: PublicAddress

    /// Answers a request, with words for people whatever happens.
    func respond(to request: HTTPRequest) async -> HTTPResponse {
        request.head.method == "POST" ? await submit(request) : await show(request.head)
    }

    private func show(_ head: HTTPRequestHead) async -> HTTPResponse {
        // A query is encoded like a form.
        let fields = FormFields(Array((head.query ?? "").utf8))
        let state = fields?["state"] ?? ""
        do {
            return form(try await service.signInRequest(state: state), state: state, device: try Self.device(fields))
        } catch {
            return failure(error)
        }
    }

    private func submit(_ request: HTTPRequest) async -> HTTPResponse {
        guard address.isOwnPage(request.head) else {
            return failure(403, "Sign-in failed", "The form was sent from another site. Go back to the app.")
        }
        guard let fields = FormFields(request.body.bytes), let state = fields["state"],
            let email = fields["email"], let password = fields["password"]
        else {
            return failure(400, "Sign-in failed", "The form is incomplete. Go back and try again.")
        }
        let signInRequest: SignInRequest
        let device: DeviceSignIn?
        do {
            signInRequest = try await service.signInRequest(state: state)
            device = try Self.device(fields)
        } catch {
            return failure(error)
        }
        do {
            if let device {
                let code = try await service.deviceCode(
                    email: email, password: password, isDiscoverable: Self.isDiscoverable(fields["discoverable"]),
                    for: device, context: signInRequest.context, source: address.network(of: request.head))
                return PageResponse.redirect(to: CallbackAddress.adding("code", code, to: device.callback))
            }
            let signIn = try await service.signIn(
                email: email, password: password, staySignedIn: fields["keep"] != nil,
                isDiscoverable: Self.isDiscoverable(fields["discoverable"]), context: signInRequest.context,
                source: address.network(of: request.head), agent: request.head.headers["User-Agent"])
            return success(signInRequest, webAuthToken: signIn.webAuthToken)
        } catch {
            var response = form(
                signInRequest, state: state, device: device, email: email, problem: error.sentence,
                status: error.code.httpStatus)
            if let seconds = error.retryAfter { response.headers.append(("Retry-After", String(seconds))) }
            return response
        }
    }

    /// The program that asked, if one did.
    private static func device(_ fields: FormFields?) throws(CloudError) -> DeviceSignIn? {
        let (callback, challenge) = (fields?["callback"], fields?["challenge"])
        if callback == nil, challenge == nil { return nil }
        return try DeviceSignIn(callback: callback ?? "", challenge: challenge ?? "")
    }

    /// What the person chose; nil leaves it as it is.
    private static func isDiscoverable(_ choice: String?) -> Bool? {
        switch choice {
        case "yes": true
        case "no": false
        default: nil
        }
    }

    private func success(_ request: SignInRequest, webAuthToken: String) -> HTTPResponse {
        guard let callback = request.callback else {
            return PageResponse.make(status: 200, SignInPages.success(request, webAuthToken: webAuthToken))
        }
        return PageResponse.redirect(to: CallbackAddress.adding("ckWebAuthToken", webAuthToken, to: callback))
    }

    private func form(
        _ request: SignInRequest, state: String, device: DeviceSignIn?, email: String = "", problem: String? = nil,
        status: Int = 200
    ) -> HTTPResponse {
        PageResponse.make(
            status: status,
            SignInPages.form(request, state: state, device: device, email: email, problem: problem),
            formTarget: (device?.callback ?? request.callback).map(CallbackAddress.policySource))
    }

    private func failure(_ error: CloudError) -> HTTPResponse {
        failure(error.code.httpStatus, "Sign-in failed", error.sentence)
    }

    private func failure(_ status: Int, _ title: String, _ explanation: String) -> HTTPResponse {
        PageResponse.make(status: status, Page.failure(title: title, explanation: explanation))
    }
}
