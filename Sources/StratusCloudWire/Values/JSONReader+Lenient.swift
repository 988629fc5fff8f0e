import StratusCloudModel

/// Numbers that may travel as strings: clients whose numbers are doubles send them so.
extension JSONReader {
    /// An integer of 64 bits, as a number or as decimal text.
    func integerOrText() throws(CloudError) -> Int64 {
        guard node.kind == .string else { return try integer() }
        guard let value = Int64(document.text(node)) else {
            throw refusal("must be an integer of at most 64 bits")
        }
        return value
    }

    /// A finite double, as a number or as text in JSON's grammar, which has no words for infinities and NaN.
    func doubleOrText() throws(CloudError) -> Double {
        guard node.kind == .string else { return try double() }
        let text = Array(document.text(node).utf8)
        do {
            let number = try JSONReader(text)
            if Int(number.node.length) == text.count { return try number.double() }
        } catch {
            // Said below, with the place in this text.
        }
        throw refusal("must be a number")
    }

    /// The text of an optional member.
    func text(_ name: StaticString) throws(CloudError) -> String? {
        guard let member = member(name) else { return nil }
        return try member.string()
    }

    /// The bytes of an optional member in base64.
    func bytes(_ name: StaticString) throws(CloudError) -> [UInt8]? {
        guard let member = member(name) else { return nil }
        return try member.base64()
    }

    /// An optional member that is true or false.
    func flag(_ name: StaticString) throws(CloudError) -> Bool? {
        guard let member = member(name) else { return nil }
        return try member.boolean()
    }

    /// An optional double.
    func number(_ name: StaticString) throws(CloudError) -> Double? {
        guard let member = member(name) else { return nil }
        return try member.doubleOrText()
    }

    /// An optional list of texts; nil when it is absent or `null`.
    func texts(_ name: StaticString) throws(CloudError) -> [String]? {
        guard let member = member(name) else { return nil }
        var texts: [String] = []
        texts.reserveCapacity(member.count)
        for element in try member.elements() { texts.append(try element.string()) }
        return texts
    }

    /// What a client may send as an array or, when there is only one, as the thing itself.
    func oneOrMany(_ name: StaticString) -> [JSONReader] {
        guard let member = member(name) else { return [] }
        return member.kind == .array ? Array(JSONElements(member)) : [member]
    }
}
