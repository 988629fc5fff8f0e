import StratusCloudModel

extension RequestDecoder {
    /// `subscriptions/list`: nothing but options.
    public func listSubscriptions(_ body: [UInt8]) throws(CloudError) -> WireOptions {
        try options(try open(body))
    }

    /// `subscriptions/lookup`: names, bare or each in an object under `subscriptionID`. At most
    /// ``ModelLimits/operationsPerRequest``.
    public func lookupSubscriptions(_ body: [UInt8]) throws(CloudError) -> [String] {
        let list = try open(body).required("subscriptions")
        var names: [String] = []
        for element in try bounded(list, "subscriptions") {
            names.append(try element.kind == .object ? element.required("subscriptionID").string() : element.string())
        }
        return names
    }

    /// `subscriptions/modify`: at most ``ModelLimits/operationsPerRequest`` operations.
    public func modifySubscriptions(_ body: [UInt8]) throws(CloudError) -> [SubscriptionOperation] {
        let body = try open(body)
        let (list, requestID) = (try body.required("operations"), try body.text("requestID"))
        var operations: [SubscriptionOperation] = []
        for element in try bounded(list, "operations") {
            operations.append(try element.subscriptionOperation(of: requestID))
        }
        return operations
    }

    /// `tokens/create` and `tokens/register`.
    /// - Parameter isRegistration: whether the body must say where the device is reached.
    public func pushToken(_ body: [UInt8], isRegistration: Bool) throws(CloudError) -> PushTokenRequest {
        let body = try open(body)
        var request = PushTokenRequest(clientID: try body.text("clientId"))
        if let environment = body.member("apnsEnvironment") {
            guard let known = APNsEnvironment(rawValue: try environment.string()) else {
                throw environment.refusal("must be development or production")
            }
            request.environment = known
        }
        guard isRegistration else { return request }
        if let browser = body.member("webPush") {
            request.address = .webPush(try browser.webPushAddress())
        } else {
            request.address = .token(try body.required("apnsToken").string())
        }
        return request
    }
}

extension JSONReader {
    fileprivate func subscriptionOperation(of requestID: String?) throws(CloudError) -> SubscriptionOperation {
        let type = try required("operationType")
        let subscription = try required("subscription")
        switch try type.string() {
        case "create": return .create(try subscription.subscriptionInput())
        case "update": return .update(try subscription.subscriptionInput())
        case "delete":
            let name = try subscription.required("subscriptionID").string()
            return .delete(subscriptionID: name, requestID: requestID)
        default: throw type.refusal("must be create, update or delete")
        }
    }

    /// A browser's push subscription as `JSON.stringify` writes it: `{endpoint, keys: {p256dh, auth}}`, the keys in
    /// base64url.
    fileprivate func webPushAddress() throws(CloudError) -> WebPushAddress {
        let keys = try required("keys")
        return WebPushAddress(
            endpoint: try required("endpoint").string(), publicKey: try keys.required("p256dh").base64URL(),
            authenticationSecret: try keys.required("auth").base64URL())
    }

    private func base64URL() throws(CloudError) -> [UInt8] {
        let text = try string().utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        guard let bytes = Base64.decode(text) else { throw refusal("must be base64url") }
        return bytes
    }
}
