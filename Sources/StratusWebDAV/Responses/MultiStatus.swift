import StratusXML

/// Writes the body of a 207 answer.
public enum MultiStatus {
    /// The media type of all XML bodies.
    public static let contentType = "application/xml; charset=utf-8"
    /// Comes before the responses.
    public static let start = XMLText.declaration + #"<D:multistatus xmlns:D="DAV:">"# + "\n"
    /// Comes behind the responses.
    public static let end = "</D:multistatus>\n"

    /// Properties of one resource that have the same status.
    public struct Properties: Hashable, Sendable {
        /// The HTTP status.
        public var status: Int
        /// Elements as XML.
        public var elements: [String]
        /// The element that names the condition that was not met.
        public var condition: String?

        /// Makes a list.
        public init(status: Int, elements: [String], condition: String? = nil) {
            self.status = status
            self.elements = elements
            self.condition = condition
        }
    }

    /// What is said of the properties of one resource. Empty lists are left out.
    /// - Parameter address: The path of the resource, percent-encoded.
    public static func response(_ address: String, _ properties: [Properties]) -> String {
        var text = "<D:response><D:href>\(XMLText.escaped(address))</D:href>"
        let lists = properties.filter { !$0.elements.isEmpty }
        // A response has at least one.
        for list in lists.isEmpty ? [Properties(status: 200, elements: [])] : lists {
            text += "<D:propstat><D:prop>\(list.elements.joined())</D:prop>\(status(list.status))"
            if let condition = list.condition { text += error(condition) }
            text += "</D:propstat>"
        }
        return text + "</D:response>\n"
    }

    /// What is said of a resource whose change failed.
    public static func response(_ address: String, _ error: WebDAVError) -> String {
        "<D:response><D:href>\(XMLText.escaped(address))</D:href>\(status(error.status))"
            + (error.condition.map(self.error) ?? "") + "</D:response>\n"
    }

    private static func status(_ status: Int) -> String {
        "<D:status>HTTP/1.1 \(status) \(reason(status))</D:status>"
    }

    private static func error(_ condition: String) -> String { "<D:error><D:\(condition)/></D:error>" }

    /// The body of an answer that refuses a whole request.
    public static func errorBody(_ error: WebDAVError) -> String {
        let condition = error.condition.map { "<D:\($0)/>" } ?? ""
        return XMLText.declaration
            + #"<D:error xmlns:D="DAV:" xmlns:s="https://stratus.invalid/webdav">"#
            + "\(condition)<s:message>\(XMLText.escaped(error.reason))</s:message></D:error>\n"
    }

    /// The standard reason of a status.
    public static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 409: "Conflict"
        case 412: "Precondition Failed"
        case 423: "Locked"
        case 424: "Failed Dependency"
        case 507: "Insufficient Storage"
        default: "Status"
        }
    }
}
