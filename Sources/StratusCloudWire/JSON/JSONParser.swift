/// Reads a text into nodes in one pass. Strict RFC 8259: everything a later reader relies on is checked here, once.
struct JSONParser {
    private let bytes: [UInt8]
    private var nodes: [JSONNode] = []
    private var position = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // Typical request bodies have one value for every twelve bytes.
        nodes.reserveCapacity(bytes.count / 12 + 8)
    }

    /// The nodes of a text; the first one is the root.
    static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> [JSONNode] {
        var parser = JSONParser(bytes)
        let input = bytes.span
        if bytes.starts(with: JSONText.byteOrderMark) { parser.position = JSONText.byteOrderMark.count }
        try parser.value(input, depth: 0)
        parser.skipSpace(input)
        guard parser.position == input.count else {
            throw JSONSyntaxError(message: "text after the value", offset: parser.position)
        }
        return parser.nodes
    }

    private mutating func value(_ input: Span<UInt8>, depth: Int) throws(JSONSyntaxError) {
        skipSpace(input)
        guard position < input.count else { throw fault("the end instead of a value") }
        switch input[position] {
        case UInt8(ascii: "\""): try string(input)
        case UInt8(ascii: "{"): try object(input, depth: depth + 1)
        case UInt8(ascii: "["): try array(input, depth: depth + 1)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(input)
        case UInt8(ascii: "t"): try word(input, "true", .yes)
        case UInt8(ascii: "f"): try word(input, "false", .no)
        case UInt8(ascii: "n"): try word(input, "null", .null)
        default: throw fault("an invalid value")
        }
    }

    // MARK: Containers

    private mutating func object(_ input: Span<UInt8>, depth: Int) throws(JSONSyntaxError) {
        let index = try open(.object, depth: depth)
        var members: UInt32 = 0
        var anyEscaped = false
        if !closes(input, with: UInt8(ascii: "}")) {
            repeat {
                skipSpace(input)
                guard position < input.count, input[position] == UInt8(ascii: "\"") else {
                    throw fault("a missing key")
                }
                try string(input)
                anyEscaped = anyEscaped || nodes[nodes.count - 1].isEscaped
                skipSpace(input)
                guard position < input.count, input[position] == UInt8(ascii: ":") else {
                    throw fault("a missing colon after a key")
                }
                position += 1
                try value(input, depth: depth)
                members += 1
            } while try continues(input, until: UInt8(ascii: "}"))
        }
        close(index, count: members)
        if members > 1 { try refuseRepeatedKeys(input, of: index, anyEscaped: anyEscaped) }
    }

    private mutating func array(_ input: Span<UInt8>, depth: Int) throws(JSONSyntaxError) {
        let index = try open(.array, depth: depth)
        var elements: UInt32 = 0
        if !closes(input, with: UInt8(ascii: "]")) {
            repeat {
                try value(input, depth: depth)
                elements += 1
            } while try continues(input, until: UInt8(ascii: "]"))
        }
        close(index, count: elements)
    }

    private mutating func open(_ kind: JSONNode.Kind, depth: Int) throws(JSONSyntaxError) -> Int {
        guard depth <= JSONLimits.depth else { throw fault("nesting deeper than 64 levels") }
        append(kind, offset: position, length: 0)
        position += 1
        return nodes.count - 1
    }

    private mutating func close(_ index: Int, count: UInt32) {
        nodes[index].length = count
        nodes[index].next = UInt32(truncatingIfNeeded: nodes.count)
    }

    /// Whether the container that was just opened is empty.
    private mutating func closes(_ input: Span<UInt8>, with end: UInt8) -> Bool {
        skipSpace(input)
        guard position < input.count, input[position] == end else { return false }
        position += 1
        return true
    }

    /// Whether another member follows; otherwise the container has ended.
    private mutating func continues(_ input: Span<UInt8>, until end: UInt8) throws(JSONSyntaxError) -> Bool {
        skipSpace(input)
        guard position < input.count else { throw fault("the end inside an object or array") }
        let byte = input[position]
        guard byte == UInt8(ascii: ",") || byte == end else { throw fault("a missing comma between two values") }
        position += 1
        return byte != end
    }

    // MARK: Scalars

    private mutating func word(
        _ input: Span<UInt8>, _ word: StaticString, _ kind: JSONNode.Kind
    ) throws(JSONSyntaxError) {
        let length = word.utf8CodeUnitCount
        guard position + length <= input.count else { throw fault("an invalid value") }
        for offset in 0..<length where input[position + offset] != word.utf8Start[offset] {
            throw fault("an invalid value")
        }
        append(kind, offset: position, length: length)
        position += length
    }

    private mutating func number(_ input: Span<UInt8>) throws(JSONSyntaxError) {
        let scan = try JSONNumber.scan(input, at: position)
        append(scan.isInteger ? .integer : .decimal, offset: position, length: scan.end - position)
        position = scan.end
    }

    private mutating func string(_ input: Span<UInt8>) throws(JSONSyntaxError) {
        let start = position + 1
        let scan = try JSONText.scan(input, from: start)
        append(.string, offset: start, length: scan.end - start, isEscaped: scan.isEscaped)
        position = scan.end + 1
    }

    private mutating func append(_ kind: JSONNode.Kind, offset: Int, length: Int, isEscaped: Bool = false) {
        nodes.append(
            JSONNode(
                offset: UInt32(truncatingIfNeeded: offset), length: UInt32(truncatingIfNeeded: length),
                next: UInt32(truncatingIfNeeded: nodes.count + 1), kind: kind, isEscaped: isEscaped))
    }

    private mutating func skipSpace(_ input: Span<UInt8>) {
        while position < input.count {
            switch input[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private func fault(_ message: StaticString) -> JSONSyntaxError {
        JSONSyntaxError(message: message, offset: position)
    }

    // MARK: Repeated keys

    /// A key that appears twice means different things to different readers, so it is refused. Keys are compared as
    /// they read after their escapes are resolved, byte by byte.
    private func refuseRepeatedKeys(
        _ input: Span<UInt8>, of object: Int, anyEscaped: Bool
    ) throws(JSONSyntaxError) {
        let end = Int(nodes[object].next)
        if anyEscaped || nodes[object].length > JSONLimits.pairwiseKeys {
            return try refuseRepeatedKeysByHash(from: object + 1, to: end)
        }
        var first = object + 1
        while first < end {
            let key = nodes[first]
            var second = Int(nodes[first + 1].next)
            first = second
            while second < end {
                let other = nodes[second]
                if key.length == other.length, Self.isEqual(input, key, other) {
                    throw JSONSyntaxError(message: "a key that appears twice", offset: Int(other.offset))
                }
                second = Int(nodes[second + 1].next)
            }
        }
    }

    private static func isEqual(_ input: Span<UInt8>, _ left: JSONNode, _ right: JSONNode) -> Bool {
        let (left, right) = (left.range, right.range)
        for index in 0..<left.count where input[left.lowerBound + index] != input[right.lowerBound + index] {
            return false
        }
        return true
    }

    private func refuseRepeatedKeysByHash(from first: Int, to end: Int) throws(JSONSyntaxError) {
        var seen: Set<ArraySlice<UInt8>> = []
        var index = first
        while index < end {
            let key = nodes[index]
            let name = key.isEscaped ? JSONText.unescaped(bytes[key.range])[...] : bytes[key.range]
            guard seen.insert(name).inserted else {
                throw JSONSyntaxError(message: "a key that appears twice", offset: Int(key.offset))
            }
            index = Int(nodes[index + 1].next)
        }
    }
}
