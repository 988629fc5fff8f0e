import StratusCICU
import StratusCloudModel

/// What names of files are compared by.
///
/// As on Apple's default file systems, names are equal if they differ in nothing but case and the form of Unicode. The
/// key is the canonical caseless form of Unicode (definition D145): NFD, full case folding, NFD.
public enum FileNameKey {
    /// Returns the key of a name.
    /// - Throws: `internalError` if the Unicode library fails.
    public static func key(_ name: String) throws(CloudError) -> String {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
        let decomposed = try TextFolding.transform(Array(name.utf16), cicu_nfd)
        let folded = try TextFolding.transform(decomposed, cicu_fold_case)
        return String(decoding: try TextFolding.transform(folded, cicu_nfd), as: UTF16.self)
    }
}
