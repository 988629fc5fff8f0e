import StratusCloudModel
import StratusCloudService

/// The pages of a person's files, as text.
enum FilesPage {
    /// - Parameter action: The path that the person wants to see.
    static func signIn(action: String, email: String = "", notice: Notice? = nil) -> String {
        Page.make(
            title: "Your files",
            content: """
                <h1>Your files</h1>
                <p>Sign in to see your files.</p>
                \(Notice.html(notice))
                \(SignInForm.html(action: HTML.escape(action), email: email))
                """)
    }

    /// The page that its scripts fill in.
    static func shell(version: String, contexts: [CloudContext], email: String, formToken: String) -> String {
        let list = ConsoleJSON.array(
            contexts.map {
                [
                    "container": .string($0.container.rawValue), "environment": .string($0.environment.rawValue),
                ]
            })
        let application = "/console/app/\(version)"
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>Your files – Stratus</title>
            <link rel="icon" href="\(application)/icon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="/console/lib/bootstrap5/bootstrap-reboot.min.css">
            <link rel="stylesheet" href="\(application)/style/base.css">
            <link rel="stylesheet" href="\(application)/style/controls.css">
            <link rel="stylesheet" href="\(application)/style/data.css">
            <link rel="stylesheet" href="\(application)/style/drive.css">
            <script type="module" src="\(application)/drive/main.js"></script>
            </head>
            <body data-contexts="\(HTML.escape(String(decoding: list.bytes, as: UTF8.self)))" \
            data-email="\(HTML.escape(email))" data-form="\(formToken)">
            <a class="skip-link" href="#content">Skip to the files</a>
            <div id="app"><noscript><main><p>This page needs JavaScript.</p></main></noscript></div>
            <div id="toasts" role="status" aria-live="polite"></div>
            </body>
            </html>

            """
    }
}
