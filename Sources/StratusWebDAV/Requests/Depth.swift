/// The value of a `Depth` header.
public enum Depth: Hashable, Sendable {
    case zero
    case one
    case infinity

    /// - Throws: ``WebDAVError`` with status 400 for any other value.
    public init(_ header: String?, otherwise: Depth) throws(WebDAVError) {
        switch header?.lowercased() {
        case nil: self = otherwise
        case "0"?: self = .zero
        case "1"?: self = .one
        case "infinity"?: self = .infinity
        default: throw WebDAVError(400, "the header Depth is none of 0, 1 and infinity")
        }
    }
}

/// The value of an `Overwrite` header.
public enum Overwrite {
    /// - Throws: ``WebDAVError`` with status 400 for any value but T and F.
    public static func isAllowed(_ header: String?) throws(WebDAVError) -> Bool {
        switch header {
        case nil, "T"?, "t"?: return true
        case "F"?, "f"?: return false
        default: throw WebDAVError(400, "the header Overwrite is neither T nor F")
        }
    }
}
