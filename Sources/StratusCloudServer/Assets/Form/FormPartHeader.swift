import StratusCloudModel

/// The header fields of the part of a form that holds the file.
struct FormPartHeader: Hashable {
    /// Bytes of the file, where the sender says it.
    private(set) var length: Int64?

    /// - Parameter bytes: the lines, each with its end, without the empty one that ends them.
    /// - Throws: `badRequest` if the part is not the bytes of one file.
    init(_ bytes: ArraySlice<UInt8>) throws(CloudError) {
        var fields: [String: String] = [:]
        for line in try Self.lines(bytes) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { throw Self.malformed }
            let value = String(decoding: line[(colon + 1)...].drop(while: \.isBlank), as: UTF8.self)
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            guard fields.updateValue(value, forKey: name) == nil else { throw Self.malformed }
        }
        guard let disposition = fields["content-disposition"], MediaType(disposition)?.name == "form-data" else {
            throw CloudError(.badRequest, "the form's part has no header Content-Disposition: form-data")
        }
        if let encoding = fields["content-transfer-encoding"], MediaType(encoding)?.name != "binary",
            MediaType(encoding)?.name != "8bit", MediaType(encoding)?.name != "7bit"
        {
            throw CloudError(.badRequest, "the form's part is encoded (Content-Transfer-Encoding); send it as it is")
        }
        if let type = fields["content-type"], type.lowercased().hasPrefix("multipart/mixed") {
            throw FormFileParser.severalParts
        }
        if let text = fields["content-length"] {
            guard let number = Int64(text), number >= 0 else { throw Self.malformed }
            length = number
        }
    }

    private static let malformed = CloudError(.badRequest, "the header fields of the form's part are malformed")

    /// The lines without their ends, which are CR and LF together.
    private static func lines(_ bytes: ArraySlice<UInt8>) throws(CloudError) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[..<end]
            guard line.last == UInt8(ascii: "\r"), !line.dropLast().contains(UInt8(ascii: "\r")) else {
                throw malformed
            }
            lines.append(line.dropLast())
            rest = rest[(end + 1)...]
        }
        guard rest.isEmpty else { throw malformed }
        return lines
    }
}
