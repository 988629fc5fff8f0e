/// Names of fields and record types.
enum FieldName {
    /// Characters of a name.
    static let limit = 255

    /// Whether a name begins with a letter and holds letters, digits and underscores.
    static func isIdentifier(_ name: String) -> Bool {
        if systemNames.contains(name) { return true }
        guard let first = name.utf8.first, isLetter(first) || first == UInt8(ascii: "_") else { return false }
        return name.utf8.count <= limit
            && name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
    }

    /// Whether a record takes a value under a name. The server refuses those that begin with `_`.
    static func isKey(_ name: String) -> Bool { isIdentifier(name) }

    /// Names with a dot, which only the system gives.
    private static let systemNames: Set<String> = [
        CKRecordTypeShare, "cloudkit.title", "cloudkit.thumbnailImageData", "cloudkit.type",
    ]

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
