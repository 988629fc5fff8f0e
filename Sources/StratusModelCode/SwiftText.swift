/// Writes names and texts of Swift.
enum SwiftText {
    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
        "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
        "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// The Swift types of Objective-C's classes that models name for transformable values.
    private static let valueTypes = [
        "NSArray": "NSArray", "NSString": "String", "NSDate": "Date", "NSData": "Data", "NSURL": "URL",
        "NSUUID": "UUID",
    ]

    /// Returns the type for a class that a model names. A name may also be any type of Swift, such as `[String]`.
    static func valueType(_ name: String) -> String { valueTypes[name] ?? name }

    static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first == "_" || first.properties.isXIDStart else { return false }
        return name.unicodeScalars.dropFirst().allSatisfy { $0.properties.isXIDContinue }
    }

    static func identifier(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    static func literal(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            case "\r": "\\r"
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }

    /// Returns the name with a first letter in upper case, as in `addToTags`.
    static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }
}
