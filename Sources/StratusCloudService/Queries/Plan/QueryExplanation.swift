/// How a query was answered, for people.
public struct QueryExplanation: Hashable, Sendable {
    /// Steps in words.
    public internal(set) var plan: [String] = []
    /// Index ranges read, in hexadecimal, and how many keys each gave; the first few. They show values: not for logs.
    public internal(set) var ranges: [String] = []
    /// Index keys read, those to choose the plan included.
    public internal(set) var keysRead = 0
    /// Records read, those that did not match included.
    public internal(set) var recordsRead = 0
    /// Records in the page.
    public internal(set) var recordsReturned = 0
}
