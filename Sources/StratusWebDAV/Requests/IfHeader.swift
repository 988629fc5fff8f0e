/// The value of an `If` header (RFC 4918, section 10.4).
public struct IfHeader: Hashable, Sendable {
    /// A state that a resource may be in.
    public enum State: Hashable, Sendable {
        /// It is locked with this token.
        case token(String)
        /// It has this entity tag, quotes included.
        case entityTag(String)
    }

    /// A state that a resource must be in, or must not be in.
    public struct Condition: Hashable, Sendable {
        /// Whether the resource must not be in the state.
        public let isNegated: Bool
        /// The state.
        public let state: State

        /// Makes a condition.
        public init(_ state: State, isNegated: Bool = false) {
            self.state = state
            self.isNegated = isNegated
        }
    }

    /// Conditions that must all hold of one resource.
    public struct List: Hashable, Sendable {
        /// The address of the resource; nil for that of the request.
        public let resource: String?
        /// The conditions.
        public let conditions: [Condition]

        /// Makes a list.
        public init(resource: String? = nil, _ conditions: [Condition]) {
            self.resource = resource
            self.conditions = conditions
        }
    }

    /// One of them must hold.
    public let lists: [List]

    /// All tokens that the client shows to have, those of negated conditions left out.
    public var tokens: Set<String> {
        var tokens: Set<String> = []
        for list in lists {
            for case .token(let token) in list.conditions.filter({ !$0.isNegated }).map(\.state) {
                tokens.insert(token)
            }
        }
        return tokens
    }

    /// - Throws: ``WebDAVError`` with status 400 for a value that does not follow the grammar.
    public init(_ value: String) throws(WebDAVError) {
        guard value.utf8.count <= WebDAVLimits.ifHeaderSize else { throw Self.malformed }
        var scanner = Scanner(rest: value.utf8[...])
        var lists: [List] = []
        var resource: String?
        var needsList = true
        var count = 0
        while let next = scanner.peek() {
            if next == UInt8(ascii: "<") {
                // Each tag has lists, and either all lists have a tag or none.
                guard resource == nil ? lists.isEmpty : !needsList else { throw Self.malformed }
                resource = try scanner.coded()
                needsList = true
            } else {
                let conditions = try scanner.list()
                count += conditions.count
                lists.append(List(resource: resource, conditions))
                needsList = false
            }
            guard count <= WebDAVLimits.conditions else { throw Self.malformed }
        }
        guard !needsList else { throw Self.malformed }
        self.lists = lists
    }

    fileprivate static let malformed = WebDAVError(400, "the header If is malformed or too long")

    /// Whether one of the lists holds.
    /// - Parameter holds: Whether the resource of an address is in a state.
    public func holds(_ holds: (_ resource: String?, State) throws -> Bool) rethrows -> Bool {
        try lists.contains { list in
            try list.conditions.allSatisfy { try holds(list.resource, $0.state) != $0.isNegated }
        }
    }
}

private struct Scanner {
    var rest: Substring.UTF8View

    /// The next byte behind white space.
    mutating func peek() -> UInt8? {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return rest.first
    }

    mutating func list() throws(WebDAVError) -> [IfHeader.Condition] {
        guard peek() == UInt8(ascii: "(") else { throw IfHeader.malformed }
        rest = rest.dropFirst()
        var conditions: [IfHeader.Condition] = []
        while let next = peek(), next != UInt8(ascii: ")") {
            conditions.append(try condition())
        }
        guard rest.popFirst() != nil, !conditions.isEmpty else { throw IfHeader.malformed }
        return conditions
    }

    private mutating func condition() throws(WebDAVError) -> IfHeader.Condition {
        var isNegated = false
        if String(rest.prefix(3))?.lowercased() == "not" {
            isNegated = true
            rest = rest.dropFirst(3)
        }
        switch peek() {
        case UInt8(ascii: "<"): return IfHeader.Condition(.token(try coded()), isNegated: isNegated)
        case UInt8(ascii: "["):
            rest = rest.dropFirst()
            return IfHeader.Condition(.entityTag(try text(upTo: UInt8(ascii: "]"))), isNegated: isNegated)
        default: throw IfHeader.malformed
        }
    }

    /// What stands between `<` and `>`.
    mutating func coded() throws(WebDAVError) -> String {
        rest = rest.dropFirst()
        return try text(upTo: UInt8(ascii: ">"))
    }

    private mutating func text(upTo end: UInt8) throws(WebDAVError) -> String {
        guard let index = rest.firstIndex(of: end), let text = String(rest[..<index]), !text.isEmpty else {
            throw IfHeader.malformed
        }
        rest = rest[rest.index(after: index)...]
        return text
    }
}
