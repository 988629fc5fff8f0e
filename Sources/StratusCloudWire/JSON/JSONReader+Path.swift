extension JSONReader {
    /// Where the value stands, such as `operations[3].record.fields.age`; `The body` for the root. Found by walking
    /// down from the root, so only messages should ask for it.
    public var path: String {
        var result = ""
        var container = 0
        while container < index {
            container =
                document.nodes[container].kind == .object
                ? appendMember(of: container, to: &result) : appendElement(of: container, to: &result)
        }
        return result.isEmpty ? "The body" : result
    }

    /// Appends the step from an object towards this value, and returns the node it leads to.
    private func appendMember(of object: Int, to path: inout String) -> Int {
        var key = object + 1
        while document.nodes[key + 1].next <= index { key = Int(document.nodes[key + 1].next) }
        if !path.isEmpty { path += "." }
        path += Self.shortened(document.text(document.nodes[key]))
        return key + 1
    }

    /// Appends the step from an array towards this value, and returns the node it leads to.
    private func appendElement(of array: Int, to path: inout String) -> Int {
        var element = array + 1
        var position = 0
        while document.nodes[element].next <= index {
            element = Int(document.nodes[element].next)
            position += 1
        }
        path += "[\(position)]"
        return element
    }

    /// A key fit for a message: of bounded length, without control characters.
    private static func shortened(_ key: String) -> String {
        let limit = JSONLimits.keyLengthInMessages
        var result = ""
        for scalar in key.unicodeScalars {
            guard result.utf8.count < limit else { return result + "…" }
            result.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : scalar)
        }
        return result
    }
}
