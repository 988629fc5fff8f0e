/// The reason why the file of a data model cannot be read, and the place.
package struct ModelFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    package let file: String
    /// The line, from 1; nil for a file that has no lines.
    package let line: Int?
    /// The element, such as `attribute 'title' of entity 'Book'`; nil for the whole file.
    package let element: String?
    /// The reason, as a phrase that goes on after the name of the element or file.
    package let reason: String

    /// Makes an error.
    package init(file: String, line: Int? = nil, element: String? = nil, reason: String) {
        self.file = file
        self.line = line
        self.element = element
        self.reason = reason
    }

    /// File, line, element and reason, in the form in which compilers report errors.
    package var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return "\(place): error: \(element ?? "the model") \(reason)"
    }
}
