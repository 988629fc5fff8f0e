import StratusCloudModel
import StratusCloudWire
import Testing

extension String {
    var bytes: [UInt8] { Array(utf8) }
}

/// The reason a body is refused for; fails the test if it is not, or with another code.
func reason(
    _ body: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ decode: ([UInt8]) throws(CloudError) -> some Any
) -> String {
    do {
        _ = try decode(body.bytes)
        Issue.record("was accepted: \(body)", sourceLocation: sourceLocation)
        return ""
    } catch {
        #expect(error.code == .badRequest, sourceLocation: sourceLocation)
        return error.reason
    }
}

/// A modify request with one operation that has these fields.
func modifyBody(fields: String) -> String {
    #"{"operations":[{"operationType":"create","record":{"recordType":"Note","fields":\#(fields)}}]}"#
}

/// The one field `f` of a modify request.
func field(_ json: String) throws -> FieldInput {
    let request = try RequestDecoder().modifyRecords(modifyBody(fields: #"{"f":\#(json)}"#).bytes).request
    let fields = try #require(request.operations.first).record.fields
    #expect(fields.count == 1)
    return try #require(fields.first).field
}

let decoder = RequestDecoder()
let encoder = ResponseEncoder(context: WireContext(callerRecordName: "_me", requestUUID: "U"))

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
