import Foundation
import StratusXML

/// The contents of an XML store: its metadata, and its objects as elements.
struct XMLStoreDocument {
    /// The number of the first object. Apple's stores begin so.
    static let firstID = 102
    /// The greatest size of a file, which is in memory as a whole.
    static let limits = XMLLimits(size: 1 << 30, depth: 64, elements: 20_000_000, namespaceSize: 256)

    /// The number that Apple's stores have in each file.
    private static let version = "134481920"
    private static let documentType = #"<!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">"#

    var metadata: [String: Any] = [:]
    var nextID = Self.firstID
    var objects: [XMLElement] = []

    init() {}

    init(contentsOf url: URL) throws {
        let data = try Data(contentsOf: url)
        let root: XMLElement
        do {
            root = try XMLDocumentReader.read(Self.withoutDocumentType(data), limits: Self.limits)
        } catch {
            throw Self.damaged(url, error.description)
        }
        guard root.name.local == "database",
            let info = root.elements.first(where: { $0.name.local == "databaseInfo" }),
            let identifier = info.elements.first(where: { $0.name.local == "UUID" })?.text, !identifier.isEmpty
        else { throw Self.damaged(url, "it is not a store of Core Data") }
        if let list = info.elements.first(where: { $0.name.local == "metadata" })?.elements.first {
            let plist = try? PropertyListSerialization.propertyList(from: Data(list.plainText.utf8), format: nil)
            guard let metadata = plist as? [String: Any] else { throw Self.damaged(url, "its metadata cannot be read") }
            self.metadata = metadata
        }
        metadata[NSStoreUUIDKey] = identifier
        metadata[NSStoreTypeKey] = NSXMLStoreType
        objects = root.elements.filter { $0.name.local == "object" }
        nextID = info.elements.first { $0.name.local == "nextObjectID" }.flatMap { Int($0.text) } ?? Self.firstID
    }

    /// Removes the one document type that stores have. The reader refuses others, as they may be hostile.
    private static func withoutDocumentType(_ data: Data) -> [UInt8] {
        guard let range = data.range(of: Data(documentType.utf8)),
            let root = data.range(of: Data("<database>".utf8)), range.upperBound <= root.lowerBound
        else { return Array(data) }
        return Array(data[..<range.lowerBound]) + Array(data[range.upperBound...])
    }

    static func damaged(_ url: URL, _ reason: String) -> NSError {
        CocoaError.make(
            .fileReadCorruptFile, "the file '\(url.path)' cannot be read as a store: \(reason)",
            [NSFilePathErrorKey: url.path])
    }

    /// Writes another file, which takes the place of the former one.
    func write(to url: URL) throws {
        var own = metadata
        let identifier = own.removeValue(forKey: NSStoreUUIDKey) as? String ?? UUID().uuidString
        own.removeValue(forKey: NSStoreTypeKey)
        guard PropertyListSerialization.propertyList(own, isValidFor: .xml) else {
            throw CocoaError.make(.persistentStoreSave, "the metadata is not a property list")
        }
        let plist = try PropertyListSerialization.data(fromPropertyList: own, format: .xml, options: 0)
        let text = String(decoding: plist, as: UTF8.self)
        var lines = [
            #"<?xml version="1.0" standalone="yes"?>"#, Self.documentType, "", "<database>", "<databaseInfo>",
            "<version>\(Self.version)</version>", "<UUID>\(XMLText.escaped(identifier))</UUID>",
            "<nextObjectID>\(nextID)</nextObjectID>",
            "<metadata>" + (text.range(of: "<plist").map { String(text[$0.lowerBound...]) } ?? "") + "</metadata>",
            "</databaseInfo>",
        ]
        lines += objects.map(\.plainText)
        lines += ["</database>", ""]
        try Data(lines.joined(separator: "\n").utf8).write(to: url, options: .atomic)
    }
}

extension XMLElement {
    init(_ name: String, _ attributes: KeyValuePairs<String, String>, text: String = "") {
        self.init(name: XMLName(namespace: "", local: name))
        self.attributes = attributes.map { XMLAttribute(name: XMLName(namespace: "", local: $0), value: $1) }
        if !text.isEmpty { children = [.text(text)] }
    }

    /// The element as text. Names have no namespaces in stores.
    fileprivate var plainText: String {
        let attributes = attributes.map { " \($0.name.local)=\"\(XMLText.escaped($0.value))\"" }.joined()
        let content = children.map { child in
            switch child {
            case .element(let element): element.plainText
            // Only attributes need references for them, which the reader of property lists does not know.
            case .text(let text):
                XMLText.escaped(text).replacingOccurrences(of: "&#10;", with: "\n")
                    .replacingOccurrences(of: "&#9;", with: "\t")
            }
        }
        return "<\(name.local)\(attributes)>\(content.joined())</\(name.local)>"
    }
}
