import Foundation

/// Uniform type identifiers of files, which Linux has no database of.
enum ContentType {
    private static let byExtension = [
        "txt": "public.plain-text", "text": "public.plain-text", "md": "net.daringfireball.markdown",
        "json": "public.json", "xml": "public.xml", "html": "public.html", "htm": "public.html", "rtf": "public.rtf",
        "csv": "public.comma-separated-values-text", "pdf": "com.adobe.pdf", "png": "public.png", "jpg": "public.jpeg",
        "jpeg": "public.jpeg", "gif": "com.compuserve.gif", "heic": "public.heic", "mp3": "public.mp3",
        "mp4": "public.mpeg-4", "mov": "com.apple.quicktime-movie", "zip": "public.zip-archive",
        "plist": "com.apple.property-list", "rtfd": "com.apple.rtfd",
    ]

    /// The type of an item by its extension; `public.data` where that says nothing, and `com.apple.package` or
    /// `public.folder` of directories.
    static func identifier(of url: URL) -> String {
        if let type = byExtension[url.pathExtension.lowercased()] { return type }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory), isDirectory.boolValue else {
            return "public.data"
        }
        return FilePackage.isPackage(url.path) ? "com.apple.package" : "public.folder"
    }

    /// The types that types conform to directly. A type that is not named conforms to `public.data`.
    private static let parents = [
        "public.text": ["public.data", "public.content"],
        "public.plain-text": ["public.text"], "net.daringfireball.markdown": ["public.text"],
        "public.json": ["public.text"], "public.xml": ["public.text"], "public.html": ["public.text"],
        "public.rtf": ["public.text"], "public.delimited-values-text": ["public.text"],
        "public.comma-separated-values-text": ["public.delimited-values-text"],
        "public.composite-content": ["public.content"], "com.adobe.pdf": ["public.data", "public.composite-content"],
        "public.image": ["public.data", "public.content"], "public.png": ["public.image"],
        "public.jpeg": ["public.image"], "com.compuserve.gif": ["public.image"], "public.heic": ["public.image"],
        "public.audiovisual-content": ["public.data", "public.content"],
        "public.audio": ["public.audiovisual-content"], "public.mp3": ["public.audio"],
        "public.movie": ["public.audiovisual-content"], "public.mpeg-4": ["public.movie"],
        "com.apple.quicktime-movie": ["public.movie"], "public.archive": ["public.data"],
        "public.zip-archive": ["public.archive"], "com.apple.package": ["public.directory"],
        "com.apple.rtfd": ["com.apple.package", "public.composite-content"], "public.folder": ["public.directory"],
        "public.directory": ["public.item"], "public.data": ["public.item"], "public.item": [], "public.content": [],
    ]

    private static let trees = Dictionary(uniqueKeysWithValues: parents.keys.map { ($0, makeTree($0)) })

    /// A type, and all types that it conforms to.
    static func tree(of type: String) -> [String] { trees[type] ?? makeTree(type) }

    private static func makeTree(_ type: String) -> [String] {
        var tree = [type]
        var index = 0
        while index < tree.count {
            tree += (parents[tree[index]] ?? ["public.data"]).filter { !tree.contains($0) }
            index += 1
        }
        return tree
    }
}
