import Foundation
import Testing

@testable import StratusCompatibility

@Suite struct NSExpressionTests {
    // Foundation on Linux calls these classes deprecated; only through a protocol are they used without warnings.
    private let checks: any NSExpressionChecking = NSExpressionChecks()

    @Test func comparisonsMadeByHand() throws { try checks.comparisonsMadeByHand() }
    @Test func everyKindOfExpression() { checks.everyKindOfExpression() }
    @Test func expressionsHaveValues() { checks.expressionsHaveValues() }
    @Test func expressionsAreReleased() { checks.expressionsAreReleased() }
    @Test func keysOfAKeyPath() { checks.keysOfAKeyPath() }
    @Test func expressionsOfOtherRuntimes() { checks.expressionsOfOtherRuntimes() }
}

private protocol NSExpressionChecking: Sendable {
    func comparisonsMadeByHand() throws
    func everyKindOfExpression()
    func expressionsHaveValues()
    func expressionsAreReleased()
    func keysOfAKeyPath()
    func expressionsOfOtherRuntimes()
}

private struct NSExpressionChecks: NSExpressionChecking {
    /// What is made where objects are not laid out as expected.
    @available(*, deprecated)
    func expressionsOfOtherRuntimes() {
        weak var released: NSExpression?
        do {
            let expressions = (0..<100).map { OperandExpression.makeAnew(.operand(.value(.integer($0)))) }
            #expect(expressions[7].predicateOperand == .value(.integer(7)) && expressions[7].description == "7")
            #expect(expressions[7].expressionValue(with: nil, context: nil) as? Int == 7)
            #expect(expressions[7] == OperandExpression.make(.operand(.value(.integer(7)))))
            released = expressions[7]
        }
        #expect(released == nil)
    }

    @available(*, deprecated)
    func comparisonsMadeByHand() throws {
        let predicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "name"), rightExpression: NSExpression(forConstantValue: "ada"),
            modifier: .direct, type: .equalTo, options: .caseInsensitive)
        #expect(predicate.predicateFormat == #"name ==[c] "ada""#)
        #expect(predicate.evaluate(with: ["name": "ADA"]))
        #expect(predicate == NSPredicate(format: "name ==[c] 'ada'"))
        #expect(predicate.leftExpression.expressionType == .keyPath)
        #expect(predicate.leftExpression.keyPath == "name")
        #expect(predicate.rightExpression.constantValue as? String == "ada")
        #expect(predicate.predicateOperatorType == .equalTo)
        #expect(predicate.options == .caseInsensitive)
        #expect(predicate.comparisonPredicateModifier == .direct)
        #expect(NSPredicate(format: "a == 1") is NSComparisonPredicate)
        let parsed = try #require(NSPredicate(format: "ANY t BETWEEN {1, 2}") as? NSComparisonPredicate)
        #expect(parsed.comparisonPredicateModifier == .any)
        #expect(parsed.predicateOperatorType == .between)
    }

    @available(*, deprecated)
    func everyKindOfExpression() {
        let key = NSExpression(forKeyPath: "k")
        let cases: [(NSExpression, NSExpression.ExpressionType, String)] = [
            (NSExpression(forConstantValue: 5), .constantValue, "5"),
            (NSExpression.expressionForEvaluatedObject(), .evaluatedObject, "SELF"),
            (NSExpression(forVariable: "v"), .variable, "$v"), (key, .keyPath, "k"),
            (NSExpression(forKeyPath: "$v"), .variable, "$v"), (NSExpression(forKeyPath: "$v.a.b"), .keyPath, "$v.a.b"),
            (NSExpression(forFunction: "sum:", arguments: [key]), .function, "sum(k)"),
            (
                NSExpression(forFunction: key, selectorName: "do:", arguments: [NSExpression(forConstantValue: 1)]),
                .function, #"FUNCTION(k, "do:", 1)"#
            ),
            (NSExpression(forAggregate: [key, NSExpression(forConstantValue: 1)]), .aggregate, "{k, 1}"),
            (NSExpression(forUnionSet: key, with: key), .unionSet, "k UNION k"),
            (NSExpression(forIntersectSet: key, with: key), .intersectSet, "k INTERSECT k"),
            (NSExpression(forMinusSet: key, with: key), .minusSet, "k MINUS k"),
            (
                NSExpression(forSubquery: key, usingIteratorVariable: "x", predicate: NSPredicate(format: "$x == 1")),
                .subquery, "SUBQUERY(k, $x, $x == 1)"
            ),
            (
                NSExpression(forConditional: NSPredicate(value: true), trueExpression: key, falseExpression: key),
                .conditional, "TERNARY(TRUEPREDICATE, k, k)"
            ),
            (NSExpression(format: "a + %d", 5), .function, "a + 5"),
        ]
        for (expression, type, text) in cases {
            #expect(expression.expressionType == type)
            #expect(expression.description == text)
            #expect(expression == NSExpression(format: text, argumentArray: []))
            #expect(expression.copy() as? NSExpression == expression)
        }
    }

    @available(*, deprecated)
    func expressionsHaveValues() {
        let object: [String: Any] = ["k": [1, 2, 3]]
        #expect(NSExpression(format: "sum(k) * $f").expressionValue(with: object, context: ["f": 2]) as? Int == 12)
        let block = NSExpression(
            block: { _, arguments, _ in (arguments.first as? NSArray)?.count ?? 0 },
            arguments: [NSExpression(forKeyPath: "k")])
        #expect(block.expressionType == .block)
        #expect(block.expressionValue(with: object, context: nil) as? Int == 3)
        let compared = NSComparisonPredicate(
            leftExpression: block, rightExpression: NSExpression(forConstantValue: 3), modifier: .direct,
            type: .equalTo, options: [])
        #expect(compared.evaluate(with: object))
        #expect(NSPredicate(format: "%@ == 3", block).evaluate(with: object))
        #expect(NSPredicate(format: "%@ == 6", NSExpression(format: "sum(k)")).evaluate(with: object))
    }

    @available(*, deprecated)
    func expressionsAreReleased() {
        final class Token: NSObject {}
        weak var token: Token?
        for _ in 0..<10_000 {
            let object = Token()
            let expression = NSExpression(forConstantValue: object)
            #expect(expression.constantValue as? Token === object)
            token = object
        }
        #expect(token == nil)
    }

    @available(*, deprecated)
    func keysOfAKeyPath() {
        final class Person: NSObject {
            let name = ""
            var boss: Person?
        }
        #expect(NSExpression(forKeyPath: \Person.boss?.name).keyPath == "boss.name")
        #expect(NSExpression(forKeyPath: \Person.self) == NSExpression.expressionForEvaluatedObject())
    }
}
