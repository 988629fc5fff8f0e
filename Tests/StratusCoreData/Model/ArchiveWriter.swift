import Foundation

/// Writes keyed archives as Xcode compiles models into, for tests.
final class ArchiveWriter {
    typealias Value = BinaryListWriter.Value

    /// Whether dictionaries have the form that they have in the models of store files.
    var hasKnownKeys = false
    private var objects: [Value] = [.text("$null")]
    private var classes: [String: Int] = [:]

    /// Returns the number of an object that is filled later, for references in circles.
    func reserve() -> Int {
        objects.append(.flag(false))
        return objects.count - 1
    }

    func add(_ value: Value) -> Value {
        objects.append(value)
        return .uid(objects.count - 1)
    }

    func text(_ text: String?) -> Value { text.map { add(.text($0)) } ?? .uid(0) }

    @discardableResult
    func object(_ name: String, _ members: [(String, Value)], at reserved: Int? = nil) -> Value {
        let number = reserved ?? reserve()
        objects[number] = .dictionary(members + [("$class", classReference(name))])
        return .uid(number)
    }

    private func classReference(_ name: String) -> Value {
        if let known = classes[name] { return .uid(known) }
        let number = reserve()
        classes[name] = number
        objects[number] = .dictionary([
            ("$classname", .text(name)), ("$classes", .list([.text(name), .text("NSObject")])),
        ])
        return .uid(number)
    }

    func array(_ members: [Value], _ name: String = "NSMutableArray") -> Value {
        object(name, [("NS.objects", .list(members))])
    }

    func dictionary(_ pairs: [(String, Value)]) -> Value {
        if hasKnownKeys { return knownKeysDictionary(pairs) }
        return object(
            "NSMutableDictionary",
            [("NS.keys", .list(pairs.map { text($0.0) })), ("NS.objects", .list(pairs.map(\.1)))])
    }

    private func knownKeysDictionary(_ pairs: [(String, Value)]) -> Value {
        let empty = text("__empty_slot_token_4c24_98dc_ac1e_b773__")
        let keys = array(pairs.map { text($0.0) } + [text("unused")], "NSArray")
        let mapping = object("NSKnownKeysMappingStrategy1", [("keys", keys), ("version", .number(1))])
        return object(
            "NSKnownKeysDictionary1",
            [
                ("values", array(pairs.map(\.1) + [empty], "NSArray")), ("searchMapping", mapping),
                ("emptyToken", empty), ("version", .number(1)),
            ])
    }

    func bytes(root: Value) -> [UInt8] {
        BinaryListWriter.bytes(
            .dictionary([
                ("$version", .number(100_000)), ("$archiver", .text("NSKeyedArchiver")),
                ("$top", .dictionary([("root", root)])), ("$objects", .list(objects)),
            ]))
    }

    // MARK: Expressions

    func constant(_ value: Value) -> Value {
        object("NSConstantValueExpression", [("NSExpressionType", .number(0)), ("NSConstantValue", value)])
    }

    func keyPath(_ keys: String, of operand: Value? = nil) -> Value {
        let path = object(
            "NSKeyPathSpecifierExpression", [("NSExpressionType", .number(10)), ("NSKeyPath", text(keys))])
        let itself = operand ?? object("NSSelfExpression", [("NSExpressionType", .number(1))])
        return object(
            "NSKeyPathExpression",
            [
                ("NSExpressionType", .number(3)), ("NSOperand", itself), ("NSArguments", array([path])),
                ("NSSelectorName", text("valueForKey:")),
            ])
    }

    func variable(_ name: String) -> Value {
        object("NSVariableExpression", [("NSExpressionType", .number(2)), ("NSVariable", text(name))])
    }

    func function(_ name: String, _ arguments: [Value], of operand: Value? = nil) -> Value {
        let members: [(String, Value)] = [
            ("NSExpressionType", .number(4)), ("NSSelectorName", text(name)), ("NSArguments", array(arguments)),
        ]
        return object("NSFunctionExpression", members + (operand.map { [("NSOperand", $0)] } ?? []))
    }

    func comparison(_ left: Value, _ type: Int64, _ right: Value, options: Int64 = 0) -> Value {
        let kind = object(
            "NSComparisonPredicateOperator",
            [
                ("NSOperatorType", .number(type)), ("NSModifier", .number(0)), ("NSOptions", .number(options)),
                ("NSNegate", .flag(false)),
            ])
        return object(
            "NSComparisonPredicate",
            [("NSLeftExpression", left), ("NSRightExpression", right), ("NSPredicateOperator", kind)])
    }

    func compound(_ type: Int64, _ members: [Value]) -> Value {
        object(
            "NSCompoundPredicate", [("NSCompoundPredicateType", .number(type)), ("NSSubpredicates", array(members))])
    }
}
