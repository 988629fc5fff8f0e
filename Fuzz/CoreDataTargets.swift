import Foundation
import StratusCoreData

/// Models of Core Data as Xcode writes and compiles them.
struct ModelFileTarget: FuzzTarget {
    let name = "core-data-model"

    var corpus: [[UInt8]] {
        let head = #"<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">"#
        let texts = [
            #"<entity name="A"><attribute name="a" attributeType="String" defaultValueString="x"/></entity>"#,
            #"<entity name="A"><relationship name="b" toMany="YES" destinationEntity="A" inverseName="c"/>"#
                + #"<relationship name="c" maxCount="1" destinationEntity="A" inverseName="b"/></entity>"#,
            #"<entity name="A" isAbstract="YES"/><entity name="B" parentEntity="A"><attribute name="n" "#
                + #"attributeType="Integer 16" minValueString="1" maxValueString="9"/><fetchIndex name="i">"#
                + #"<fetchIndexElement property="n" type="Binary" order="ascending"/></fetchIndex></entity>"#,
            #"<entity name="A"/><fetchRequest name="r" entity="A" predicateString="SELF == $x"/>"#,
        ].map { Array((head + $0 + "</model>").utf8) }
        let archives = [["root": ["NSEntities": ["A": 1]]], ["a": "b"]].compactMap {
            try? NSKeyedArchiver.archivedData(withRootObject: $0 as NSDictionary, requiringSecureCoding: true)
        }
        return texts + archives.map(Array.init)
    }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-fuzz-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let isArchive = input.starts(with: Array("bplist".utf8))
        let file = folder.appendingPathComponent(isArchive ? "a.mom" : "a.xcdatamodel")
        do {
            try FileManager.default.createDirectory(
                at: isArchive ? folder : file, withIntermediateDirectories: true)
            try Data(input).write(to: isArchive ? file : file.appendingPathComponent("contents"))
        } catch {
            throw BrokenPromise(what: "the input cannot be written: \(error)")
        }
        guard let model = NSManagedObjectModel(contentsOf: file) else { return false }
        guard model.entityVersionHashesByName.count == model.entitiesByName.count else {
            throw BrokenPromise(what: "an entity has no version hash")
        }
        return true
    }
}

/// Archives of transformable values: a value that is read can be archived, and is read again.
struct ValueArchiveTarget: FuzzTarget {
    let name = "core-data-value"

    private var transformer: NSSecureUnarchiveFromDataTransformer { NSSecureUnarchiveFromDataTransformer() }

    var corpus: [[UInt8]] {
        let date = Date(timeIntervalSinceReferenceDate: 1)
        let values: [Any] = [
            ["a", 1, 2.5, true, Data([1, 2]), date], ["k": ["n": NSNull()]],
            NSSet(array: [NSMutableString(string: "b")]), URL(fileURLWithPath: "/a"), "text" as NSString,
            UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
            NSMutableArray(array: [NSMutableDictionary(object: 1, forKey: "k" as NSString)]), Data([3]) as NSData,
        ]
        return values.compactMap { transformer.reverseTransformedValue($0) as? Data }.map(Array.init)
    }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        guard let value = transformer.transformedValue(Data(input)) else { return false }
        guard let archive = transformer.reverseTransformedValue(value) as? Data else {
            throw BrokenPromise(what: "a \(type(of: value)) that was read cannot be archived")
        }
        guard let again = transformer.transformedValue(archive) else {
            throw BrokenPromise(what: "the archive of a \(type(of: value)) that was read cannot be read")
        }
        // Comparing goes through all members.
        guard type(of: again) == type(of: value), again as? NSObject == value as? NSObject else {
            throw BrokenPromise(what: "a \(type(of: value)) is read again as a \(type(of: again))")
        }
        return true
    }
}
