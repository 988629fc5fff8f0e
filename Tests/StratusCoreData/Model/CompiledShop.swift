import Foundation

/// A compiled model of items on shelves.
enum CompiledShop {
    /// - Parameter inStore: Whether the archive has the form of models in store files.
    static func bytes(inStore: Bool = false) -> [UInt8] {
        let writer = ArchiveWriter()
        writer.hasKnownKeys = inStore
        let (model, thing, item, shelf) = (writer.reserve(), writer.reserve(), writer.reserve(), writer.reserve())
        entity(writer, thing, "Thing", nil, abstract: true, [("created", date(writer))])
        entity(
            writer, item, "Item", .uid(thing),
            [
                ("title", attribute(writer, 700, [("NSIsOptional", .flag(true))])),
                ("stock", attribute(writer, 200, [("NSDefaultValue", writer.add(.number(3)))])),
                ("price", price(writer)), ("photo", attribute(writer, 1000, [("NSFlagsKey", .number(4))])),
                ("plain", derived(writer)), ("style", style(writer)), ("size", composite(writer, ["width"])),
                ("box", composite(writer, ["inner", "height"])), ("bag", composite(writer, ["inner", "width"])),
                ("shelf", relationship(writer, "Shelf", "items", maximum: 1, rule: 1)),
            ] + (inStore ? [("created", date(writer))] : []),
            more: [
                ("NSUniqueTuples", writer.array([writer.array([writer.text("title")])])),
                ("NSFetchIndexDescriptions", writer.array([index(writer)])),
                ("NSUserInfo", writer.dictionary([("k", writer.text("v"))])),
            ])
        entity(
            writer, shelf, "Shelf", nil,
            [
                ("items", relationship(writer, "Item", "shelf", maximum: 0, rule: 2, [("NSIsOrdered", .flag(true))]))
            ])
        let entities = [("Thing", thing), ("Item", item), ("Shelf", shelf)].map {
            ($0.0, BinaryListWriter.Value.uid($0.1))
        }
        writer.object(
            "NSManagedObjectModel",
            [
                ("NSEntities", writer.dictionary(entities)),
                ("NSVersionIdentifiers", writer.array([writer.text("2")], "NSSet")),
                ("NSConfigurations", writer.dictionary([("Local", writer.array([.uid(shelf)], "NSSet"))])),
                ("NSFetchRequestTemplates", writer.dictionary([("InStock", request(writer, item))])),
            ], at: model)
        return writer.bytes(root: .uid(model))
    }

    private static func entity(
        _ writer: ArchiveWriter, _ number: Int, _ name: String, _ parent: BinaryListWriter.Value?,
        abstract: Bool = false,
        _ properties: [(String, BinaryListWriter.Value)], more: [(String, BinaryListWriter.Value)] = []
    ) {
        let named: [(String, BinaryListWriter.Value)] = [
            ("NSEntityName", writer.text(name)), ("NSClassNameForEntity", writer.text("Shop." + name)),
            ("NSIsAbstract", .flag(abstract)), ("NSSuperentity", parent ?? .uid(0)),
            ("NSProperties", writer.dictionary(properties)), ("NSRenamingIdentifier", writer.text(name)),
        ]
        writer.object("NSEntityDescription", named + more, at: number)
    }

    private static func attribute(
        _ writer: ArchiveWriter, _ type: Int64, _ more: [(String, BinaryListWriter.Value)] = [],
        _ name: String = "NSAttributeDescription"
    ) -> BinaryListWriter.Value {
        writer.object(name, [("NSAttributeType", .number(type))] + more)
    }

    private static func date(_ writer: ArchiveWriter) -> BinaryListWriter.Value {
        attribute(writer, 900, [("NSDefaultValue", writer.object("NSDate", [("NS.time", .real(60))]))])
    }

    /// 123,456.78
    private static func price(_ writer: ArchiveWriter) -> BinaryListWriter.Value {
        let mantissa: [UInt8] = [0x4E, 0x61, 0xBC, 0] + Array(repeating: 0, count: 12)
        let number = writer.object(
            "NSDecimalNumberPlaceholder",
            [
                ("NS.mantissa", .bytes(mantissa)), ("NS.length", .number(2)), ("NS.exponent", .number(-2)),
                ("NS.negative", .flag(false)), ("NS.mantissa.bo", .number(1)),
            ])
        return attribute(writer, 400, [("NSDefaultValue", number)])
    }

    /// An attribute whose default value is an object of a class of the program.
    private static func style(_ writer: ArchiveWriter) -> BinaryListWriter.Value {
        let value = writer.object("Shop.Style", [("text", writer.text("bold"))])
        return attribute(
            writer, 1800, [("NSIsOptional", .flag(true)), ("NSDefaultValue", value)])
    }

    private static func derived(_ writer: ArchiveWriter) -> BinaryListWriter.Value {
        let expression = writer.function("canonical:", [writer.keyPath("title")])
        return attribute(writer, 700, [("NSDerivationExpression", expression)], "NSDerivedAttributeDescription")
    }

    /// A composite attribute with one element, which itself is composite unless it is the last one.
    private static func composite(
        _ writer: ArchiveWriter, _ path: [String], _ more: [(String, BinaryListWriter.Value)] = []
    ) -> BinaryListWriter.Value {
        let name = [("NSPropertyName", writer.text(path[0]))]
        let element =
            path.count == 1
            ? attribute(writer, 500, name) : composite(writer, Array(path.dropFirst()), name)
        return attribute(
            writer, 2100, [("NSElements", writer.array([element]))] + more, "NSCompositeAttributeDescription")
    }

    private static func relationship(
        _ writer: ArchiveWriter, _ destination: String, _ inverse: String, maximum: Int64, rule: Int64,
        _ more: [(String, BinaryListWriter.Value)] = []
    ) -> BinaryListWriter.Value {
        writer.object(
            "NSRelationshipDescription",
            [
                ("_NSDestinationEntityName", writer.text(destination)),
                ("_NSInverseRelationshipName", writer.text(inverse)), ("NSMaxCount", .number(maximum)),
                ("NSDeleteRule", .number(rule)), ("NSIsOptional", .flag(true)),
            ] + more)
    }

    private static func index(_ writer: ArchiveWriter) -> BinaryListWriter.Value {
        let part = writer.object(
            "NSFetchIndexElementDescription",
            [
                ("NSPropertyName", writer.text("title")), ("NSFetchIndexElementType", .number(0)),
                ("NSAscending", .flag(false)),
            ])
        return writer.object(
            "NSFetchIndexDescription",
            [("NSIndexName", writer.text("byTitle")), ("NSIndexElements", writer.array([part]))])
    }

    private static func request(_ writer: ArchiveWriter, _ entity: Int) -> BinaryListWriter.Value {
        let stock = writer.comparison(writer.keyPath("stock"), 2, writer.variable("LEAST"))
        let title = writer.comparison(writer.keyPath("title"), 99, writer.constant(writer.text("é\"")), options: 3)
        return writer.object(
            "NSFetchRequest",
            [
                ("NSEntity", .uid(entity)), ("NSPredicate", writer.compound(2, [stock, title])),
                ("NSFetchLimit", .number(5)), ("NSResultType", .number(2)), ("NSHasFetchRequestFlags", .flag(true)),
                ("NSFetchRequestFlags", .number(14)),
            ])
    }
}
