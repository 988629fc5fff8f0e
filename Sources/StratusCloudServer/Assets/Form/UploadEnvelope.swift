import StratusCloudModel
import StratusHTTPTransport

/// The part of an upload's body that is not the asset.
enum UploadEnvelope: Hashable {
    /// Nothing: the body is the asset, whatever its `Content-Type`.
    case none
    /// A form (`multipart/form-data`, RFC 7578) whose one part is the asset, as HTML forms and `curl -F` send files.
    case form(boundary: [UInt8])

    /// - Throws: `badRequest` for a form without a usable boundary.
    init(_ headers: HTTPHeaders) throws(CloudError) {
        self = .none
        guard let header = headers["Content-Type"] else { return }
        let type = MediaType(header)
        guard (type?.name ?? header.lowercased()).hasPrefix("multipart/form-data") else { return }
        guard let boundary = type?["boundary"], Self.isBoundary(boundary) else {
            throw CloudError(
                .badRequest, "the header Content-Type names no boundary of 1 to 70 characters for the form's parts")
        }
        self = .form(boundary: boundary)
    }

    /// Whether the bytes are what RFC 2046 lets separate parts.
    private static func isBoundary(_ bytes: [UInt8]) -> Bool {
        guard (1...70).contains(bytes.count), bytes.last != UInt8(ascii: " ") else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: "'()+_,-./:=? ".utf8.contains(byte)
            }
        }
    }
}
