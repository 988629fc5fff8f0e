import StratusXML

/// Limits of the files of data models. The documentation quotes this file.
package enum ModelFileLimits {
    /// Bytes of a file: 8 MiB.
    package static let fileSize = 8_388_608
    /// Levels of elements in a file.
    package static let elementDepth = 16
    /// Elements in a file.
    package static let elements = 50_000
    /// Bytes of a namespace in a file, although models have none.
    package static let namespaceSize = 512
    /// Versions of a model in one package.
    package static let versions = 300

    /// Entities that one inherits from, one after the other.
    package static let inheritance = 100

    static let xml = XMLLimits(
        size: fileSize, depth: elementDepth, elements: elements, namespaceSize: namespaceSize)
}
