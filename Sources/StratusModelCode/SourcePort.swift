/// Replaces what Swift has for Objective-C in sources of managed object classes: `@objc` and its like are removed,
/// `@NSManaged` declarations get accessors, and `#keyPath` becomes a text. Lines stay where they are.
package struct SourcePort {
    private var scanner: SourceScanner
    /// The names of the `@NSManaged` properties by their forms in the names of accessors.
    private let properties: [String: String]
    private var result = ""

    /// Returns the source as it compiles on Linux. Errors of the compiler name the original.
    /// - Parameter path: The path of the original.
    package static func ported(_ text: String, path: String) -> String {
        var port = SourcePort(text)
        port.copyCode(until: nil)
        return "#sourceLocation(file: \(SwiftText.literal(path)), line: 1)\n" + port.result
    }

    private init(_ text: String) {
        scanner = SourceScanner(text)
        let names = text.matches(of: /@NSManaged[^\n]*?\bvar\s+`?(\w+)/).map { String($0.1) }
        properties = Dictionary(names.map { (SwiftText.capitalized($0), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Copies code with its replacements, to the end or behind the parenthesis that closes an interpolation.
    private mutating func copyCode(until end: Character?) {
        var depth = 0
        while let next = scanner.peek {
            if next == end {
                if depth == 0 { return }
                depth -= 1
            } else if next == "(" {
                depth += 1
            }
            if let comment = scanner.comment() {
                result += comment
            } else if scanner.startsString {
                copyString()
            } else if next == "@" {
                copyAttribute()
            } else if next == "#" {
                copyKeyPath()
            } else if let word = scanner.word() {
                result += word == "override" && overridesInitializer() ? "required" : word
            } else {
                result.append(scanner.take())
            }
        }
    }

    /// Copies a text, whose interpolations are code.
    private mutating func copyString() {
        let delimiter = scanner.stringDelimiter()
        result += delimiter.opening
        while scanner.peek != nil {
            if scanner.skip(delimiter.interpolation) {
                result += delimiter.interpolation
                copyCode(until: ")")
            } else if scanner.skip(delimiter.escape) {
                result += delimiter.escape
                if scanner.peek != nil { result.append(scanner.take()) }
            } else if scanner.skip(delimiter.closing) {
                result += delimiter.closing
                return
            } else if !delimiter.isMultiline, scanner.peek?.isNewline == true {
                return
            } else {
                result.append(scanner.take())
            }
        }
    }

    private mutating func copyAttribute() {
        let start = scanner
        _ = scanner.take()
        switch scanner.word() {
        case "objc", "objcMembers", "nonobjc":
            if scanner.peek == "(" { _ = scanner.parenthesized() }
            _ = scanner.blanks()
        case "NSManaged":
            if let declaration = managedDeclaration() {
                result += declaration
            } else {
                scanner = start
                result.append(scanner.take())
            }
        default:
            scanner = start
            result.append(scanner.take())
        }
    }

    /// Returns the declaration behind `@NSManaged` with its accessors; nil for one of an unknown form.
    private mutating func managedDeclaration() -> String? {
        // Line feeds between the attribute and the declaration stay.
        var text = String(scanner.space().filter(\.isNewline))
        while let word = scanner.modifier() {
            if word == "var" { return managedProperty(text) }
            if word == "func" { return managedMethod(text) }
            text += word
            if scanner.peek == "(" { text += scanner.parenthesized() }
            text += scanner.space()
        }
        return nil
    }

    private mutating func managedProperty(_ modifiers: String) -> String? {
        _ = scanner.space()
        guard let name = scanner.identifier() else { return nil }
        _ = scanner.space()
        guard scanner.skip(":") else { return nil }
        _ = scanner.space()
        let type = scanner.type()
        let key = SwiftText.literal(name.filter { $0 != "`" })
        return "\(modifiers)var \(name): \(type) { get { managedValue(forKey: \(key)) } "
            + "set { setManagedValue(newValue, forKey: \(key)) } }"
    }

    private mutating func managedMethod(_ modifiers: String) -> String? {
        _ = scanner.space()
        guard let name = scanner.identifier(), scanner.peek == "(" else { return nil }
        let parameters = scanner.parenthesized()
        guard let call = ManagedMethod(name: name, parameters: parameters)?.call(properties) else { return nil }
        return "\(modifiers)func \(name)\(parameters) { \(call) }"
    }

    /// Copies `#keyPath(Type.a.b)` as the text `a.b`.
    private mutating func copyKeyPath() {
        guard scanner.skip("#keyPath(") else { return result.append(scanner.take()) }
        let path = scanner.text(until: ")").filter { !$0.isWhitespace && $0 != "`" }
        let parts = path.split(separator: ".").map(String.init)
        // Names of modules and types begin with an upper case letter; without one the keys are those of `self`.
        let keys = parts.drop { $0.first?.isUppercase == true }
        result += SwiftText.literal((keys.isEmpty ? parts.suffix(1) : keys).joined(separator: "."))
    }

    /// Whether the word `override` belongs to an initializer that is required on Linux: that of objects or of stores.
    private func overridesInitializer() -> Bool {
        var ahead = scanner
        repeat { _ = ahead.space() } while ["public", "open", "internal"].contains(ahead.modifier(unless: "init"))
        return ahead.skip("init(entity") || ahead.skip("init(persistentStoreCoordinator")
    }
}
