import StratusXML

/// Limits of the files of data models. The documentation quotes this file.
public enum ModelFileLimits {
    /// Bytes of a file: 8 MiB.
    public static let fileSize = 8_388_608
    /// Levels of elements in a file.
    public static let elementDepth = 16
    /// Elements in a file.
    public static let elements = 50_000
    /// Bytes of a namespace in a file, although models have none.
    public static let namespaceSize = 512
    /// Versions of a model in one package.
    public static let versions = 300

    static let xml = XMLLimits(
        size: fileSize, depth: elementDepth, elements: elements, namespaceSize: namespaceSize)
}
