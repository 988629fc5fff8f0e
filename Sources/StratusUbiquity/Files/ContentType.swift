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
}
