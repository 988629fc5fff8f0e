import UIKit

/// The document of the example: one text.
final class MonkeyDocument: UIDocument {
    private(set) var documentString = "(default text)"
    private(set) var loads = 0

    func type(_ text: String) {
        documentString = text
        updateChangeCount(.done)
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        guard let data = contents as? Data else { throw CocoaError(.fileReadCorruptFile) }
        documentString = String(decoding: data, as: UTF8.self)
        loads += 1
    }

    override func contents(forType typeName: String) throws -> Any { Data(documentString.utf8) }
}
