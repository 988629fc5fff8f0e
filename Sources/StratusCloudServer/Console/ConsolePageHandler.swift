import StratusHTTPTransport

/// `/console/`: the pages of the console and what they are made of. Who may see what is the affair of the console's API;
/// these files are the same for everybody.
struct ConsolePageHandler: Sendable {
    let files: ConsoleFiles

    /// Files of the application below a path that names their version never change.
    private static let forever = "public, max-age=31536000, immutable"
    private static let askAgain = "no-cache"

    /// - Parameter segments: of the path behind `/console`, decoded.
    func respond(to head: HTTPRequestHead, segments: [String]) -> HTTPResponse {
        // The page's own addresses are below the directory.
        if segments.isEmpty, !head.path.hasSuffix("/") {
            return HTTPResponse(status: 308, headers: [("Location", "/console/"), ("Cache-Control", Self.askAgain)])
        }
        if segments.first == "lib" {
            guard let file = files.library(segments.dropFirst().joined(separator: "/")) else { return Self.missing }
            return file.response(to: head, caching: Self.askAgain)
        }
        guard let application = files.loaded() else { return Self.unavailable }
        guard segments.first == "app" else { return application.index.response(to: head, caching: Self.askAgain) }
        let path = segments.dropFirst()
        if path.first == application.version {
            guard let file = application.files[path.dropFirst().joined(separator: "/")] else { return Self.missing }
            return file.response(to: head, caching: Self.forever)
        }
        guard let file = application.files[path.joined(separator: "/")] else { return Self.missing }
        return file.response(to: head, caching: Self.askAgain)
    }

    private static let missing = HTTPResponse(
        status: 404,
        headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")]
            + ConsolePolicy.headers,
        body: .bytes(Array("not found\n".utf8)))

    static let unavailable = PageResponse.make(
        status: 404,
        Page.failure(
            title: "The console is not installed",
            explanation: """
                The server did not find the files of the console. Start it with --console-files and the directory \
                that has they are in.
                """))
}
