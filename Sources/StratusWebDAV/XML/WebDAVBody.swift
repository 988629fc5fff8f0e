import StratusXML

/// The XML of a request's body.
public enum WebDAVBody {
    /// Returns the root element of a body.
    /// - Throws: ``WebDAVError`` with status 400 for a document that is not well-formed, has a document type
    ///   declaration, or is deeper than ``WebDAVLimits`` allow; with 413 for one that is larger.
    public static func read(_ bytes: [UInt8]) throws(WebDAVError) -> XMLElement {
        do throws(XMLError) {
            return try XMLDocumentReader.read(bytes, limits: WebDAVLimits.xml)
        } catch {
            throw WebDAVError(status(of: error.kind), "the body \(error.reason)")
        }
    }

    private static func status(of kind: XMLError.Kind) -> Int {
        switch kind {
        case .tooLarge: 413
        case .outOfMemory: 503
        case .malformed, .documentType, .tooDeep, .tooManyElements, .longNamespace: 400
        }
    }
}
