import StratusCloudModel

extension ResponseEncoder {
    /// The body of a refused request. `redirectURL` is the sign-in page, for
    /// ``CloudError/Code/authenticationRequired``.
    public func error(_ error: CloudError, redirectURL: String? = nil) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writeMembers(of: error, to: &writer)
        writer.optional("redirectURL", redirectURL)
        writer.endObject()
        return writer.bytes
    }

    /// What the errors of requests and of items have in common.
    func writeMembers(of error: CloudError, to writer: inout JSONWriter) {
        writer.key("uuid")
        writer.string(context.requestUUID)
        writer.key("serverErrorCode")
        writer.string(error.code.rawValue)
        writer.optional(WireNames.extensionErrorCode, error.extensionCode?.rawValue)
        writer.key("reason")
        writer.string(error.reason)
        if let seconds = error.retryAfter {
            writer.key("retryAfter")
            writer.integer(seconds)
        }
    }
}
