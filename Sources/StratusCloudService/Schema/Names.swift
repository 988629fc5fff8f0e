import StratusCloudModel

/// Rules for the names that clients choose.
enum Names {
    /// Throws unless `name` can name a record that a client makes.
    static func checkRecordName(_ name: String) throws(CloudError) {
        guard !name.isEmpty else { throw CloudError(.badRequest, "record name must not be empty") }
        try checkLength(name, "record name")
        guard isASCII(name) else {
            throw CloudError(.badRequest, "record name must be ASCII without control characters")
        }
    }

    /// System-made names begin with an underscore; clients cannot make such records.
    static func isReserved(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "_") }

    /// Whether a text looks like a name that the service gives users.
    static func isUserRecordName(_ name: String) -> Bool {
        isReserved(name) && name.utf8.count <= ModelLimits.nameLength
            && name.utf8.dropFirst().allSatisfy {
                isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }

    static func checkZoneName(_ name: String) throws(CloudError) {
        guard !name.isEmpty else { throw CloudError(.badRequest, "zone name must not be empty") }
        try checkLength(name, "zone name")
        guard isASCII(name) else {
            throw CloudError(.badRequest, "zone name must be ASCII without control characters")
        }
    }

    /// Throws unless `name` can name a record type.
    static func checkRecordType(_ name: String) throws(CloudError) {
        guard isIdentifier(name) else {
            throw CloudError(
                .badRequest,
                "record type '\(shortened(name))' must begin with a letter and contain only ASCII letters, "
                    + "digits and '_'"
            )
        }
        try checkLength(name, "record type")
    }

    /// Throws unless `name` can name a field that a client sets.
    static func checkField(_ name: String, recordType: String) throws(CloudError) {
        if isReserved(name) {
            throw CloudError(
                .accessDenied,
                "Unprivileged attempt to insert a system field '\(shortened(name))' in record '\(recordType)'")
        }
        guard isIdentifier(name) else {
            throw CloudError(
                .badRequest,
                "field name '\(shortened(name))' in record '\(recordType)' must begin with a letter and contain only "
                    + "ASCII letters, digits and '_'")
        }
        try checkLength(name, "field name")
    }

    private static func checkLength(_ name: String, _ subject: String) throws(CloudError) {
        guard name.utf8.count <= ModelLimits.nameLength else {
            throw CloudError(
                .badRequest,
                "\(subject) has \(name.utf8.count) characters, which is more than the maximum of \(ModelLimits.nameLength)"
            )
        }
    }

    private static func isASCII(_ name: String) -> Bool {
        hasOnly(name) { (0x20...0x7E).contains($0) }
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, isLetter(first) else { return false }
        return hasOnly(name) {
            isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_")
        }
    }

    /// Looked at where they lie: through the view's own positions each byte takes a dozen instructions more, and every
    /// save has some names.
    private static func hasOnly(_ name: String, _ isAllowed: (UInt8) -> Bool) -> Bool {
        let bytes = name.utf8.span
        for index in bytes.indices where !isAllowed(bytes[index]) { return false }
        return true
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// A name as messages quote it when it may be anything.
    private static func shortened(_ name: String) -> String {
        name.count <= 64 ? name : String(name.prefix(64)) + "…"
    }
}
