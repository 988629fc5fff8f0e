/// How a query was answered, for people.
struct QueryExplanation: Hashable, Sendable {
    /// Steps in words.
    var plan: [String] = []
    /// Index ranges read, in hexadecimal, and how many keys each gave; the first few. They show values: not for logs.
    var ranges: [String] = []
    /// Index keys read, those to choose the plan included.
    var keysRead = 0
    var recordsRead = 0
    var recordsReturned = 0
}
