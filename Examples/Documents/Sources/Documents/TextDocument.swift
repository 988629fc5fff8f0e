import UIKit

/// A document with one text.
final class TextDocument: UIDocument {
    /// What the document says.
    private(set) var text = ""

    /// Called when the text was read from the file: at first, and after another device or program changed it.
    var textDidLoad: ((String) -> Void)?

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        guard let data = contents as? Data, let text = String(data: data, encoding: .utf8) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        self.text = text
        textDidLoad?(text)
    }

    /// Changes the text. The document saves itself after a while.
    func write(_ text: String) {
        self.text = text
        updateChangeCount(.done)
    }
}
