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

    /// The bytes of the file of this name; nil if it is none of them, or if its package is not installed.
    /// - Parameter read: reads a file, if it can be read.
    static func bytes(of name: String, read: (String) -> [UInt8]?) -> [UInt8]? {
        if name == WorldOutlines.name {
            return WorldOutlines.file.flatMap(read).flatMap { WorldOutlines(shapefile: $0) }?.json
        }
        return paths[name].flatMap { read(directory + $0) }
    }
}
