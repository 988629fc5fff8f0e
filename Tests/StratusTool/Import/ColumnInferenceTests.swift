import StratusCloudModel
import Testing

@testable import StratusTool

/// The narrowest type that loses nothing of any cell.
@Suite struct ColumnInferenceTests {
    private func type(_ cells: [String]) -> String {
        var inference = ColumnInference()
        for cell in cells { inference.add(cell) }
        return inference.type.schemaName
    }

    @Test(arguments: [
        (["1", "", "-20"], "INT64"), ([" 7 "], "INT64"), (["9223372036854775807"], "INT64"),
        (["1", "2.5"], "DOUBLE"), (["1e3"], "DOUBLE"), (["-0.5"], "DOUBLE"), (["true", "FALSE"], "INT64"),
        (["2026-01-31", "2026-01-31T12:00:00.5+01:00"], "TIMESTAMP"), (["52.52,13.4", "-33.9, 18.4"], "LOCATION"),
        (#"{"latitude":1,"longitude":2}"#.asOne, "LOCATION"), (#"{"recordName":"a"}"#.asOne, "REFERENCE"),
        (#"["a","b"]|[]"#.asMany, "LIST<STRING>"), (#"[1]|[2.5]"#.asMany, "LIST<DOUBLE>"),
        (#"[{"recordName":"a"}]"#.asOne, "LIST<REFERENCE>"), (["[]"], "LIST<STRING>"),
    ])
    func narrow(cells: [String], expected: String) { #expect(type(cells) == expected) }

    @Test(arguments: [
        [], [""], ["a"], ["1", "a"], ["01234"], ["1", "007"], ["+49 30"], ["+1"], ["1,5"], ["1."], [".5"],
        ["12345678901234567890"], ["0.123456789012345678"], ["1e999"], ["nan"], ["inf"], ["0x10"], ["true", "1"],
        ["2026-02-30"], ["2026-01", "x"], ["91.0,1.0"], ["[1", "2"], [#"["a",1]"#], [#"[null]"#], ["{}"], ["[1]", "1"],
    ])
    func everythingElseIsText(cells: [String]) { #expect(type(cells) == "STRING", "\(cells)") }
}

extension String {
    fileprivate var asOne: [String] { [self] }
    fileprivate var asMany: [String] { split(separator: "|").map(String.init) }
}
