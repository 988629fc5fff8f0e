import StratusCloudModel
import StratusHTTPTransport
import StratusTelemetry

/// One line a request where the operator wants it, and always for those that were refused, as a whole or in part: the
/// identifier that the client was told stands in it.
struct AccessLog: Sendable {
    let logger: Logger
    /// The level of requests that went well.
    let level: LogLevel
    let address: PublicAddress
    /// The share of those whom nobody knows.
    let strangers: StrangerLines

    /// Fields of a request that went well.
    private static let usualFields = 8

    /// - Parameters:
    ///   - bodyBytes: of the answer's body.
    ///   - duration: until the answer was there; until it was sent, for those that were held or written bit by bit.
    ///   - trace: where the request stands in a trace of its client's.
    func record(
        _ head: HTTPRequestHead, _ route: RouteName, status: Int, bodyBytes: Int64, refusals: [CloudError] = [],
        requestUUID: String, trace: RequestSpan? = nil, duration: Duration
    ) {
        let level = status >= 500 && status != 503 ? .error : refusals.isEmpty ? level : max(level, .info)
        guard level >= logger.level else { return }
        let isStranger = isStranger(head, route, refusals.first)
        if isStranger, level != .error, !admitsStranger() { return }
        var fields = LogFields(capacity: Self.usualFields)
        fields.append("uuid", requestUUID)
        fields.append("method", String(head.method.prefix(ServerLimits.loggedMethod)))
        fields.append("route", route.label)
        fields.append("status", status)
        fields.append("bytes", .integer(bodyBytes))
        let (seconds, attoseconds) = duration.components
        fields.append(
            "milliseconds", .double(Double(attoseconds / 1_000_000_000_000) / 1_000 + Double(seconds) * 1_000))
        fields.append("client", String(address.client(of: head).prefix(ServerLimits.loggedAddress)))
        if let trace { fields.append(trace) }
        if let target = target(head, route) { fields.append("target", Self.text(target, isShort: isStranger)) }
        if let first = refusals.first {
            fields.append("code", first.code.rawValue)
            fields.append("reason", Self.text(first.reason, isShort: isStranger))
            if refusals.count > 1 { fields.append("refusals", refusals.count) }
        }
        logger.log(level, "request", fields)
    }

    private func target(_ head: HTTPRequestHead, _ route: RouteName) -> String? {
        // Other queries may hold the state of a sign-in, which is for the person's browser alone.
        if route == .console, case .console(let segments) = Router.route(method: head.method, path: head.path) {
            return ConsoleRoutes.label(head.method, segments)
        }
        if case .webService = route { return TargetMeaning.of(head).redacted }
        // The paths of assets and published files open them, and those of one-time links let in whoever comes first.
        return [.assetUpload, .assetDownload, .published, .share].contains(route) ? nil : head.path
    }

    private static func text(_ text: String, isShort: Bool) -> String {
        guard isShort, text.utf8.count > ServerLimits.strangerLogText else { return text }
        return text.prefix(ServerLimits.strangerLogText) + "…"
    }

    /// Whether a request came without a credential, or may have come with a wrong one: anybody can send such.
    private func isStranger(_ head: HTTPRequestHead, _ route: RouteName, _ refusal: CloudError?) -> Bool {
        let isAppsRequest = TargetMeaning.of(head).tokens.apiToken != nil || head.headers[SignatureHeader.keyID] != nil
        guard let refusal else {
            let isOpenedByPath = [.assetUpload, .assetDownload, .poll, .eventStream].contains(route)
            return !isAppsRequest && !isOpenedByPath && head.headers["Cookie"] == nil
                && head.headers["Authorization"] == nil
        }
        guard case .webService = route else { return true }
        // Too many requests of an address are refused before their tokens are looked at.
        return !isAppsRequest || [.authenticationFailed, .throttled].contains(refusal.code)
    }

    private func admitsStranger() -> Bool {
        let (isAdmitted, suppressed) = strangers.admit()
        if isAdmitted { report(suppressed) }
        return isAdmitted
    }

    private func report(_ suppressed: Int) {
        guard suppressed > 0 else { return }
        logger.warning(
            "too many requests without a credential; some were not logged",
            ["count": .integer(Int64(suppressed))])
    }

    /// Says what was not logged since that was last said.
    func finish() { report(strangers.takeSuppressed()) }

    /// A line for what the transport refused before there was a request.
    func recordRefusal(status: Int, _ error: CloudError, requestUUID: String) {
        guard admitsStranger() else { return }
        logger.info(
            "refused",
            [
                "uuid": .string(requestUUID), "status": .integer(Int64(status)), "code": .string(error.code.rawValue),
                "reason": .string(error.reason),
            ])
    }
}
