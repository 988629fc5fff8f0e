/// A kind of request of which the answers of one user are timed while something else goes on.
struct RequestKind: Sendable {
    /// In the plural.
    let name: String
    let script: @Sendable (Stratus, StratusData) -> LoadScript

    /// - Parameter records: articles that there are.
    static func all(of records: Int) -> [RequestKind] {
        [
            RequestKind(name: "lookups") { $0.lookups(of: (0..<min(1_000, records)).map(Article.name), as: $1) },
            RequestKind(name: "creates") { $0.creates(1, as: $1) },
            RequestKind(name: "pages") { server, data in
                let starts = max(1, records - Settings.batch)
                return server.pages(from: Array(stride(from: 0, to: starts, by: max(1, starts / 1_000))), as: data)
            },
        ]
    }
}
