import StratusCloudModel

/// `field [asc|desc]` or `field near latitude,longitude` of the command line as a sort key.
enum SortExpression {
    /// - Throws: a usage error that quotes the expression.
    static func parse(_ text: String) throws(ToolError) -> Sort {
        let words = text.split { $0.isWhitespace }
        guard let name = words.first else { throw refusal(text) }
        let field = QueryFieldName.parse(String(name))
        switch (words.count, words.dropFirst().first?.lowercased()) {
        case (1, _), (2, "asc"): return Sort(field)
        case (2, "desc"): return Sort(field, ascending: false)
        case (3, "near"): return Sort(field, relativeLocation: try PlaceText.parse(words[2], in: text))
        default: throw refusal(text)
        }
    }

    private static func refusal(_ text: String) -> ToolError {
        .usage("--sort '\(text)': the format is 'field', 'field desc' or 'field near latitude,longitude'")
    }
}
