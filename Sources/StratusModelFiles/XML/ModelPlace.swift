import Foundation
import StratusXML

/// The place in a file that errors name, and readers of XML attributes that throw them.
struct ModelPlace {
    let file: String
    /// The element around the one that is read: `entity 'Book'`.
    private(set) var outer: String?

    init(file: String) { self.file = file }

    func inside(_ element: XMLElement, _ name: String) -> ModelPlace {
        var place = self
        place.outer = "\(element.name.local) '\(name)'"
        return place
    }

    func error(_ element: XMLElement, _ reason: String) -> ModelFileError {
        var description = element.name.local
        if let name = element.attribute("name") { description += " '\(name)'" }
        if let outer { description += " of \(outer)" }
        return ModelFileError(file: file, line: element.line, element: description, reason: reason)
    }

    func name(of element: XMLElement) throws(ModelFileError) -> String { try required(element, "name") }

    func required(_ element: XMLElement, _ attribute: String) throws(ModelFileError) -> String {
        guard let text = element.text(attribute) else { throw error(element, "has no \(attribute)") }
        return text
    }

    func flag(_ element: XMLElement, _ attribute: String) throws(ModelFileError) -> Bool? {
        guard let text = element.text(attribute) else { return nil }
        guard case .boolean(let flag)? = ModelValue(text, .boolean) else { throw wrong(element, attribute, text) }
        return flag
    }

    func count(_ element: XMLElement, _ attribute: String) throws(ModelFileError) -> Int? {
        guard let text = element.text(attribute) else { return nil }
        guard let number = ModelValue.integer(text), 0...Int64(Int32.max) ~= number else {
            throw wrong(element, attribute, text)
        }
        return Int(number)
    }

    func date(_ element: XMLElement, _ attribute: String) throws(ModelFileError) -> ModelValue? {
        guard let text = element.text(attribute) else { return nil }
        guard let seconds = Double(text), seconds.isFinite else { throw wrong(element, attribute, text) }
        return .date(Date(timeIntervalSinceReferenceDate: seconds))
    }

    func value(
        _ element: XMLElement, _ attribute: String, _ type: ModelAttributeType
    ) throws(ModelFileError) -> ModelValue? {
        guard let text = element.text(attribute) else { return nil }
        guard let value = ModelValue(text, type) else { throw wrong(element, attribute, text) }
        return value
    }

    func regularExpression(_ element: XMLElement) throws(ModelFileError) -> String? {
        guard let pattern = element.text("regularExpressionString") else { return nil }
        do {
            _ = try NSRegularExpression(pattern: pattern)
        } catch {
            throw wrong(element, "regularExpressionString", pattern)
        }
        return pattern
    }

    func choice<Choice: RawRepresentable<String>>(
        _ element: XMLElement, _ attribute: String
    ) throws(ModelFileError) -> Choice? {
        guard let text = element.text(attribute) else { return nil }
        guard let choice = Choice(rawValue: text) else { throw wrong(element, attribute, text) }
        return choice
    }

    private func wrong(_ element: XMLElement, _ attribute: String, _ text: String) -> ModelFileError {
        error(element, "has an invalid \(attribute), '\(text.prefix(100))'")
    }
}

extension XMLElement {
    /// Returns the value of an attribute that is there and not empty, as Xcode leaves empty ones.
    func text(_ name: String) -> String? { attribute(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns the value of an attribute that is the format of a predicate or an expression.
    func format(_ name: String) -> ModelFormat? { text(name).map { ModelFormat($0, line: line) } }

    /// Returns the child elements with a name.
    func elements(_ name: String) -> [XMLElement] { elements.filter { $0.name.local == name } }
}
