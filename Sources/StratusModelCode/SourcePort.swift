/// Replaces what Swift has for Objective-C in sources of managed object classes: `@objc` and its like are removed,
/// `@NSManaged` declarations get accessors, `#keyPath` becomes a text, selectors of methods that compare become their
/// names, and casts of fetch requests become operators. Lines stay where they are.
package struct SourcePort {
    private static let modifiers = ["override", "public", "open", "internal", "private", "fileprivate"]
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
                copyDirective()
            } else if let word = scanner.word() {
                copyWord(word)
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
        let key = name.filter { $0 != "`" }
        let isPrimitive = key.starts(with: /primitive[A-Z]/)
        let literal = SwiftText.literal(key)
        return "\(modifiers)var \(name): \(type) { get { managedValue(forKey: \(literal)) } "
            + "set { \(isPrimitive ? "setManagedPrimitiveValue" : "setManagedValue")(newValue, forKey: \(literal)) } }"
    }

    private mutating func managedMethod(_ modifiers: String) -> String? {
        _ = scanner.space()
        guard let name = scanner.identifier(), scanner.peek == "(" else { return nil }
        let parameters = scanner.parenthesized()
        guard let call = ManagedMethod(name: name, parameters: parameters)?.call(properties) else { return nil }
        return "\(modifiers)func \(name)\(parameters) { \(call) }"
    }

    /// Returns the rest of a cast behind the word `as`. One to a fetch request with another type of results becomes an
    /// operator, because Swift does not cast between them.
    private mutating func cast() -> String {
        var ahead = scanner
        guard let mark = ["!", "?"].first(where: { ahead.skip($0) }) else { return "as" }
        let space = ahead.space()
        guard ahead.word() == "NSFetchRequest", let results = ahead.genericArguments() else { return "as" }
        scanner = ahead
        return "==>\(mark)\(space)NSFetchRequest\(results).self"
    }

    private mutating func copyDirective() {
        if scanner.skip("#keyPath(") {
            copyKeyPath()
        } else if let selector = comparingSelector() {
            result += selector
        } else {
            result.append(scanner.take())
        }
    }

    /// Takes `#selector(NSString.localizedCompare(_:))` and returns `Selector("localizedCompare:")`; nil for a method that
    /// does not compare, since there are no others by name on Linux.
    private mutating func comparingSelector() -> String? {
        var ahead = scanner
        guard ahead.skip("#selector"), ahead.peek == "(",
            let match = ahead.parenthesized().wholeMatch(of: /\(\s*NS\w+\.(compare|\w+Compare)(\(_:\))?\s*\)/)
        else { return nil }
        scanner = ahead
        return "Selector(\(SwiftText.literal(match.1 + ":")))"
    }

    /// Copies the rest of `#keyPath(Type.a.b)` as the text `a.b`.
    private mutating func copyKeyPath() {
        let path = scanner.text(until: ")").filter { !$0.isWhitespace && $0 != "`" }
        let parts = path.split(separator: ".").map(String.init)
        // Names of modules and types begin with an upper case letter; without one the keys are those of `self`.
        let keys = parts.drop { $0.first?.isUppercase == true }
        result += SwiftText.literal((keys.isEmpty ? parts.suffix(1) : keys).joined(separator: "."))
    }

    /// Copies a word, which begins a cast or the initializer that is required on Linux.
    private mutating func copyWord(_ word: String) {
        switch word {
        case "as": result += cast()
        case "override": result += precedesInitializer() ? "required" : word
        // A required initializer is as visible as its class.
        case "private", "fileprivate": result += precedesInitializer(overriding: true) ? "" : word
        default: result += word
        }
    }

    /// Whether the modifiers at this position belong to an initializer that is required on Linux: that of objects or of stores.
    private func precedesInitializer(overriding isOverride: Bool = false) -> Bool {
        var ahead = scanner
        var modifiers: Set<String> = []
        while true {
            _ = ahead.space()
            guard let word = ahead.modifier(unless: "init") else { break }
            guard Self.modifiers.contains(word) else { return false }
            modifiers.insert(word)
        }
        let overrides = !isOverride || modifiers.contains("override") || result.hasSuffix("required ")
        return overrides && (ahead.skip("init(entity") || ahead.skip("init(persistentStoreCoordinator"))
    }
}
