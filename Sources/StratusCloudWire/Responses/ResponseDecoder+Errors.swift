import StratusCloudModel

/// The body of a refused request.
public struct Refusal: Hashable, Sendable {
    /// Why.
    public var error: CloudError
    /// The sign-in page, for ``CloudError/Code/authenticationRequired``.
    public var redirectURL: String?
    /// Names the request in the server's logs.
    public var uuid: String?
}

extension ResponseDecoder {
    /// The body of an answer whose HTTP status is not a success.
    public func refusal(_ body: [UInt8]) throws(CloudError) -> Refusal {
        try read(body) { (body) throws(CloudError) in
            Refusal(
                error: try body.cloudError(in: zoneID), redirectURL: try body.text("redirectURL"),
                uuid: try body.text("uuid"))
        }
    }
}

extension JSONReader {
    /// The error of a request or an item. Codes that are not known become ``CloudError/Code/internalError``.
    func cloudError(in zone: ZoneID) throws(CloudError) -> CloudError {
        let code = try required("serverErrorCode").string()
        let reason = try text("reason") ?? ""
        let delay = try number("retryAfter")
        let stored = member(WireNames.serverRecord)
        let extensionCode = try text(WireNames.extensionErrorCode)
        return CloudError(
            CloudError.Code(rawValue: code) ?? .internalError, reason,
            extensionCode: extensionCode.flatMap { CloudError.ExtensionCode(rawValue: $0) },
            retryAfter: delay.map(Self.wholeSeconds),
            serverRecord: try stored.map { (record) throws(CloudError) in try record.record(in: zone) })
    }

    /// Seconds to wait, no fraction of one less than asked for, and a year at most.
    private static func wholeSeconds(_ seconds: Double) -> Int {
        let bounded = min(max(seconds, 0), 31_536_000)
        let whole = Int(bounded)
        return Double(whole) < bounded ? whole + 1 : whole
    }
}
