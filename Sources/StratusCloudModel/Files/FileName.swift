/// Rules for the names of files and folders.
public enum FileName {
    /// Throws unless an item may have this name.
    /// - Throws: `badRequest`, which does not repeat the name.
    public static func check(_ name: String) throws(CloudError) {
        guard !name.isEmpty else { throw CloudError(.badRequest, "the name of a file must not be empty") }
        guard name.utf8.count <= FileLimits.nameSize else {
            throw CloudError(
                .badRequest,
                "the name of a file has \(name.utf8.count) bytes, which is more than the maximum of "
                    + "\(FileLimits.nameSize)")
        }
        guard name != ".", name != ".." else {
            throw CloudError(.badRequest, "a file must not be named '.' or '..'")
        }
        for scalar in name.unicodeScalars {
            guard scalar != "/" else { throw CloudError(.badRequest, "the name of a file must not contain '/'") }
            guard scalar.properties.generalCategory != .control else {
                throw CloudError(.badRequest, "the name of a file must not contain control characters")
            }
        }
    }

    /// The name with a number before its extension: `report 2.pdf`. Shortened so that it is not too long.
    public static func numbered(_ name: String, _ number: Int) -> String {
        let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
        let suffix = " \(number)"
        var `extension` = name[dot...]
        // An extension that leaves no room for the rest is none.
        if `extension`.utf8.count > FileLimits.nameSize / 2 { `extension` = "" }
        var stem = `extension`.isEmpty ? name[...] : name[..<dot]
        while stem.utf8.count + suffix.utf8.count + `extension`.utf8.count > FileLimits.nameSize { stem.removeLast() }
        return stem + suffix + `extension`
    }
}
