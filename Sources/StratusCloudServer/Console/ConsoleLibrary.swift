/// The files of others that the console's pages load, from where Debian's packages install them. A request names one of
/// these and nothing else.
enum ConsoleLibrary {
    private static let directory = "/usr/share/javascript/"

    /// Below `/console/lib/`, and below ``directory``.
    private static let paths = [
        "bootstrap5/bootstrap-reboot.min.css": "bootstrap5/css/bootstrap-reboot.min.css",
        "chart.js/chart.min.js": "chart.js/chart.min.js",
        "codemirror/codemirror.js": "codemirror/lib/codemirror.js",
        "codemirror/codemirror.css": "codemirror/lib/codemirror.css",
        "codemirror/simple.js": "codemirror/addon/mode/simple.js",
        "codemirror/active-line.js": "codemirror/addon/selection/active-line.js",
        "codemirror/matchbrackets.js": "codemirror/addon/edit/matchbrackets.js",
    ]

    /// Where the file of this name lies; nil if it is none of them.
    static func path(of name: String) -> String? { paths[name].map { directory + $0 } }
}
