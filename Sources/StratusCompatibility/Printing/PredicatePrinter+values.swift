extension PredicatePrinter {
    mutating func print(_ value: PredicateValue) {
        guard !hidesValues else { return write("?") }
        if let (inner, type) = value.literal {
            write("CAST(")
            print(inner)
            write(", \(Self.quoted(type)))")
            return
        }
        switch value {
        case .null: write("nil")
        case .bool(let value): write(value ? "TRUE" : "FALSE")
        case .integer(let value): write("\(value)")
        case .unsigned(let value): write("\(value)")
        // The shortest text that reads as the same bits.
        case .double(let value): write("\(value)")
        case .string(let value): write(Self.quoted(value))
        case .list(let values):
            write("{")
            for (index, value) in values.enumerated() {
                if index > 0 { write(", ") }
                print(value)
            }
            write("}")
        case .decimal, .date, .data, .uuid, .url, .location, .dictionary, .object: break
        }
    }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\0"..."\u{1F}", "\u{7F}": result += String(format: "\\u%04x", scalar.value)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
