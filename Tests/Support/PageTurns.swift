/// The tokens or markers that lead from page to page, none of which comes twice: whoever follows a feed or a query that stands
/// still, or goes round, gets an error instead of a test without end.
public struct PageTurns {
    /// Why the next page cannot be another.
    public struct Standstill: Error, CustomStringConvertible {
        /// What the pages did.
        public let description: String
    }

    /// More pages than any test has.
    private static let most = 10_000
    private var seen: Set<String> = []
    private var hasBegunAnew = false

    /// Before the first page.
    /// - Parameter token: what it is asked with.
    public init(from token: String? = nil) { if let token { seen.insert(token) } }

    /// Notes what a page that says it has a successor gave for it.
    /// - Throws: ``Standstill`` if that is nothing, or was given before.
    public mutating func turn(to token: String?) throws {
        guard let token else { throw Standstill(description: "more is to come, and nothing says where") }
        guard seen.insert(token).inserted else {
            throw Standstill(description: "page \(seen.count + 1) leads to one that was read: \(token)")
        }
        guard seen.count < Self.most else { throw Standstill(description: "\(Self.most) pages, and no end") }
    }

    /// Notes that the way so far is worth nothing, since its token expired.
    /// - Throws: ``Standstill`` for the second time: a way that expires again and again has no end.
    public mutating func beginAnew() throws {
        guard !hasBegunAnew else {
            throw Standstill(description: "the token expired again, on the way from the beginning")
        }
        hasBegunAnew = true
        seen = []
    }
}
