import Foundation
import StratusCompatibility
import StratusCoreData
import Testing

@Suite struct ExpressionPropertyTests {
    // Foundation on Linux calls these classes deprecated; only through a protocol are they used without warnings.
    private let checks: any ExpressionPropertyChecking = ExpressionPropertyChecks()

    @Test func aDerivedAttributeIsHashedAndCopiedWithItsExpression() throws {
        try checks.aDerivedAttributeIsHashedAndCopiedWithItsExpression()
    }

    @Test func anExpressionDescriptionHasAResultType() throws {
        try checks.anExpressionDescriptionHasAResultType()
    }
}

private protocol ExpressionPropertyChecking: Sendable {
    func aDerivedAttributeIsHashedAndCopiedWithItsExpression() throws
    func anExpressionDescriptionHasAResultType() throws
}

private struct ExpressionPropertyChecks: ExpressionPropertyChecking {
    @available(*, deprecated)
    func aDerivedAttributeIsHashedAndCopiedWithItsExpression() throws {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = "count"
        attribute.type = .integer64
        let plain = attribute.versionHash
        attribute.derivationExpression = NSExpression(format: "tags.@count")
        let derived = attribute.versionHash
        #expect(derived != plain)
        let copy = try #require(attribute.copy() as? NSDerivedAttributeDescription)
        #expect(copy.derivationExpression == attribute.derivationExpression)
        #expect(copy.versionHash == derived)
        attribute.derivationExpression = NSExpression(format: "notes.@count")
        #expect(attribute.versionHash != derived)
        // The same expression, parsed again.
        copy.derivationExpression = NSExpression(format: "notes.@count")
        #expect(copy.versionHash == attribute.versionHash)
    }

    @available(*, deprecated)
    func anExpressionDescriptionHasAResultType() throws {
        let description = NSExpressionDescription()
        description.name = "longest"
        description.expression = NSExpression(forKeyPath: "pages")
        description.resultType = .integer64
        #expect(description.expressionResultType == .integer64AttributeType)
        let copy = try #require(description.copy() as? NSExpressionDescription)
        #expect(copy.name == "longest")
        #expect(copy.resultType == .integer64)
        #expect(copy.expression == description.expression)
    }
}
