import StratusCloudModel
import StratusHTTPTransport

extension PublicAddress {
    /// Whether a form was sent by a page of this server.
    ///
    /// Browsers say so themselves, except on plain connections to other machines; there the origin is left, which the
    /// pages' own referrer policy turns into `null`. Programs that are no browsers send neither, and nobody can abuse
    /// them.
    func isOwnPage(_ head: HTTPRequestHead) -> Bool {
        if let site = head.headers["Sec-Fetch-Site"] { return site == "same-origin" }
        guard let origin = head.headers["Origin"] else { return true }
        if origin == "null" { return !isSecure(head) }
        return origin == base(for: head)
    }
}

extension CloudError {
    /// The reason as a sentence for people.
    var sentence: String {
        let text = reason.prefix(1).uppercased() + reason.dropFirst()
        return text.hasSuffix(".") ? text : text + "."
    }
}
