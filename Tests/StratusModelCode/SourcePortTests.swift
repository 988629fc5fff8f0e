import Foundation
import StratusModelCode
import Testing

@Suite struct SourcePortTests {
    /// Returns the port of a text without the line that names the original.
    private func ported(_ text: String) -> String {
        String(SourcePort.ported(text, path: "/a.swift").drop { $0 != "\n" }.dropFirst())
    }

    @Test(arguments: [
        ("@objc(Item)\npublic class Item: NSManagedObject {}", "\npublic class Item: NSManagedObject {}"),
        ("@objcMembers class A {}", "class A {}"),
        ("@objc (A) class A {}", "(A) class A {}"),
        ("@nonobjc public class func f() {}", "public class func f() {}"),
        ("@objcX var a = 1", "@objcX var a = 1"),
        (
            "@NSManaged var a: Int",
            #"var a: Int { get { managedValue(forKey: "a") } set { setManagedValue(newValue, forKey: "a") } }"#
        ),
        (
            "@NSManaged fileprivate(set) public var `in`: [String: [Int]]? // note",
            "fileprivate(set) public var `in`: [String: [Int]]? { get { managedValue(forKey: \"in\") } "
                + "set { setManagedValue(newValue, forKey: \"in\") } } // note"
        ),
        (
            "@NSManaged var a: Set<Item>; let b = 1",
            #"var a: Set<Item> { get { managedValue(forKey: "a") } "#
                + #"set { setManagedValue(newValue, forKey: "a") } }; let b = 1"#
        ),
        (
            "@NSManaged var primitiveName: String?",
            #"var primitiveName: String? { get { managedValue(forKey: "primitiveName") } "#
                + #"set { setManagedPrimitiveValue(newValue, forKey: "primitiveName") } }"#
        ),
        (
            "@NSManaged var primitives: Int",
            #"var primitives: Int { get { managedValue(forKey: "primitives") } "#
                + #"set { setManagedValue(newValue, forKey: "primitives") } }"#
        ),
        ("r as! NSFetchRequest<[A<B>]>", "r ==>! NSFetchRequest<[A<B>]>.self"),
        ("(r as?\n NSFetchRequest<A>)", "(r ==>?\n NSFetchRequest<A>.self)"),
        ("r as NSFetchRequest<A>, r as! NSFetchRequest", "r as NSFetchRequest<A>, r as! NSFetchRequest"),
        ("r as! [NSFetchRequest<A>]", "r as! [NSFetchRequest<A>]"),
        // The attribute may stand on lines of its own; they stay.
        (
            "@NSManaged\n  @objc(x)\nvar a: Int",
            "\n@objc(x)\nvar a: Int { get { managedValue(forKey: \"a\") } "
                + "set { setManagedValue(newValue, forKey: \"a\") } }"
        ),
        (
            "@NSManaged func addToTags(_ value: Tag)",
            #"func addToTags(_ value: Tag) { addManagedObject(value, forKey: "tags") }"#
        ),
        (
            "@NSManaged func removeFromTags(_ values: Set<Tag>)",
            #"func removeFromTags(_ values: Set<Tag>) { removeManagedObjects(values, forKey: "tags") }"#
        ),
        // A method of an unknown form stays, and the compiler names it.
        ("@NSManaged func primitiveTags() -> NSSet", "@NSManaged func primitiveTags() -> NSSet"),
        ("#keyPath(Item.a.b)", #""a.b""#),
        ("#keyPath(App.Item.`in`)", #""in""#),
        ("#keyPath(name)", #""name""#),
        ("#selector(f)", "#selector(f)"), ("#selector(NSString.hash)", "#selector(NSString.hash)"),
        ("#selector(NSString.localizedStandardCompare(_:))", #"Selector("localizedStandardCompare:")"#),
        ("#selector( NSDate.compare )", #"Selector("compare:")"#),
        ("\"\\(#keyPath(Item.a)) \\(\"#keyPath(B.c)\")\"", "\"\\(\"a\") \\(\"#keyPath(B.c)\")\""),
        (##"#"@objc \(#keyPath(A.b)) \#(#keyPath(A.b))"#"##, ##"#"@objc \(#keyPath(A.b)) \#("b")"#"##),
        ("\"\"\"\n@objc \"\n\\(#keyPath(A.b))\n\"\"\" @objc x", "\"\"\"\n@objc \"\n\\(\"b\")\n\"\"\" x"),
        (#""\\" @objc x"#, #""\\" x"#),
        ("/* @objc /* */ @objc */ // @objc\n@objc x", "/* @objc /* */ @objc */ // @objc\nx"),
        ("override init(entity: E, insertInto c: C?) {}", "required init(entity: E, insertInto c: C?) {}"),
        ("override public init(entity: E) {}", "required public init(entity: E) {}"),
        (
            "override init(persistentStoreCoordinator root: C?) {}",
            "required init(persistentStoreCoordinator root: C?) {}"
        ),
        ("@objc\noverride private init(entity: E) {}", "\nrequired  init(entity: E) {}"),
        ("private override init(entity: E) {}", " required init(entity: E) {}"),
        ("private init(entity: E) {}", "private init(entity: E) {}"),
        ("override init() {}\noverride func f() {}", "override init() {}\noverride func f() {}"),
        ("\"open\n@objc x", "\"open\nx"),
        ("@", "@"), ("#", "#"), ("\"", "\""), ("#keyPath(", #""""#), ("@NSManaged", "@NSManaged"),
    ])
    func replacesWhatObjectiveCHas(_ text: String, _ expected: String) { #expect(ported(text) == expected) }

    @Test func aRelationshipKeepsItsFirstLetter() {
        let text = "@NSManaged var URLs: NSSet?\n@NSManaged func addToURLs(_ value: A)"
        #expect(ported(text).hasSuffix(#"func addToURLs(_ value: A) { addManagedObject(value, forKey: "URLs") }"#))
    }

    @Test func theOriginalIsNamed() {
        #expect(
            SourcePort.ported("x", path: #"/a "b".swift"#)
                == "#sourceLocation(file: \"/a \\\"b\\\".swift\", line: 1)\nx")
    }

    /// Sources of this project without anything of Objective-C, in all of Swift's forms of texts and comments.
    @Test func otherSourcesStayAsTheyAre() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        var count = 0
        for folder in ["Sources/StratusCompatibility", "Sources/StratusCoreData", "Tests/StratusXML"] {
            let url = root.appendingPathComponent(folder)
            for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) where path.hasSuffix(".swift") {
                let text = try String(contentsOf: url.appendingPathComponent(path), encoding: .utf8)
                let replaced = ["@objc", "override init(entity", "as? NSFetchRequest<", "as! NSFetchRequest<"]
                guard !replaced.contains(where: text.contains) else { continue }
                #expect(ported(text) == text, "\(path)")
                count += 1
            }
        }
        #expect(count > 50)
    }
}
