/// The frame of all pages for people, as text.
enum Page {
    /// - Parameters:
    ///   - attributes: of the body, escaped.
    ///   - isWide: whether there is much to show.
    ///   - script: beside the content; one that ``PageResponse`` allows.
    static func make(
        title: String, attributes: String = "", isWide: Bool = false, script: String? = nil, content: String
    ) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(HTML.escape(title)) – Stratus</title>
        <link rel="icon" href="data:,">
        <style>\(SignInAssets.style)</style>
        </head>
        <body\(attributes)>
        <main\(isWide ? " class=\"wide\"" : "")>
        <div class="brand"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M7 17.5a4.5 4.5 0 0 1-.6-8.96A6 6 0 \
        0 1 18 9.6a4 4 0 0 1-.5 7.9zM4 20.25h16v1.5H4z"/></svg><span>Stratus</span></div>
        \(content)
        </main>
        \(script.map { "<script>\($0)</script>" } ?? "")
        </body>
        </html>

        """
    }

    /// Something that cannot be done, and why.
    static func failure(title: String, explanation: String) -> String {
        make(
            title: title,
            content: """
                <h1>\(HTML.escape(title))</h1>
                <p role="alert">\(HTML.escape(explanation))</p>
                """)
    }
}
