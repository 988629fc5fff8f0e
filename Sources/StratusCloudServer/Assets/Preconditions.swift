import StratusHTTPTransport

/// The conditions of a request for bytes that have an entity tag (RFC 9110, section 13). There is no date of change, so
/// conditions on one never hold.
struct Preconditions {
    enum Outcome {
        case go
        case notModified
        case failed
    }

    private let head: HTTPRequestHead
    /// A strong tag with its quotes.
    private let tag: String

    init(_ head: HTTPRequestHead, tag: String) {
        self.head = head
        self.tag = tag
    }

    /// What `If-Match` and `If-None-Match` say.
    var outcome: Outcome {
        let wanted = head.headers.all("If-Match")
        if !wanted.isEmpty, !isNamed(in: wanted, weakly: false) { return .failed }
        return isNamed(in: head.headers.all("If-None-Match"), weakly: true) ? .notModified : .go
    }

    /// The range to answer with: none if `If-Range` names other bytes.
    var rangeHeader: String? {
        if let condition = head.headers["If-Range"], condition != tag { return nil }
        return head.headers["Range"]
    }

    private func isNamed(in values: [String], weakly: Bool) -> Bool {
        values.contains { value in
            value.split(separator: ",").contains { item in
                let item = item.drop { $0 == " " || $0 == "\t" }
                let named = item.prefix { $0 != " " && $0 != "\t" }
                return named == "*" || named == tag || weakly && named == "W/" + tag
            }
        }
    }
}
