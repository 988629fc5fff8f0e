import StratusCloudModel
import Testing

/// W3C Trace Context, level 1 and the random flag of level 2.
@Suite struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"

    @Test(
        arguments: [
            ("00-\(trace)-\(span)-01", 1), ("00-\(trace)-\(span)-00", 0), ("00-\(trace)-\(span)-03", 3),
            // Flags that are not known are not passed on; a later version may have more.
            ("00-\(trace)-\(span)-ff", 3), ("01-\(trace)-\(span)-01", 1), ("fe-\(trace)-\(span)-01-more-of-it", 1),
        ] as [(String, UInt8)])
    func whatIsValid(text: String, flags: UInt8) throws {
        let context = try #require(TraceContext(traceparent: [text], tracestate: []))
        #expect(context.traceID == Self.trace && context.spanID == Self.span && context.flags == flags)
        #expect(context.traceparent == "00-\(Self.trace)-\(Self.span)-0\(flags)")
        let step = context.step(0xAB)
        #expect(step.traceID == Self.trace && step.spanID == "00000000000000ab" && step.flags == flags)
        #expect(context.step(0).spanID == "0000000000000001", "0 would stand for none")
        #expect(context.step(.max).spanID == "ffffffffffffffff")
    }

    @Test(
        arguments: [
            [], [""], ["00"], ["ff-\(trace)-\(span)-01"], ["00-\(trace)-\(span)-01", "00-\(trace)-\(span)-01"],
            ["00-\(trace)-\(span)-01-more"], ["00-\(trace)-\(span)-1"], ["00-\(trace)-\(span)"],
            ["00-\(trace.uppercased())-\(span)-01"], ["00-\(trace)-\(span)-0G"], ["00-\(trace)_\(span)-01"],
            ["00-00000000000000000000000000000000-\(span)-01"], ["00-\(trace)-0000000000000000-01"],
            ["0x-\(trace)-\(span)-01"], [" 00-\(trace)-\(span)-01"], ["00-\(trace)-\(span)-01\n"],
            ["01-\(trace)-\(span)-01more"], ["01-\(trace)-\(span)-01-" + String(repeating: "a", count: 1_000)],
            ["00-\(trace.dropLast())é-\(span)-01"],
        ] as [[String]])
    func whatIsNot(texts: [String]) {
        #expect(TraceContext(traceparent: texts, tracestate: ["a=1"]) == nil)
    }

    @Test func statesArePassedOnOrLeftOut() throws {
        let parent = ["00-\(Self.trace)-\(Self.span)-01"]
        func state(_ texts: [String]) throws -> String {
            try #require(TraceContext(traceparent: parent, tracestate: texts)).state
        }
        let valid = [
            (["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"], "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"),
            (["rojo=1", "congo=2"], "rojo=1,congo=2"), ([" rojo=1 ,\t, congo=2 ,"], "rojo=1,congo=2"),
            (["0tenant_-*/@sys=a b!"], "0tenant_-*/@sys=a b!"), ([""], ""), ([], ""),
            ([(0..<32).map { "k\($0)=v" }.joined(separator: ",")], (0..<32).map { "k\($0)=v" }.joined(separator: ",")),
            (["a=" + String(repeating: "v", count: 256)], "a=" + String(repeating: "v", count: 256)),
        ]
        for (texts, expected) in valid { #expect(try state(texts) == expected, "\(texts)") }
        let wrong = [
            "rojo", "=1", "rojo=", "Rojo=1", "1rojo=1", "a@b@c=1", "a@1b=1", "a=b=c", "a=é", "a=1,a=2", "a b=1",
            (0..<33).map { "k\($0)=v" }.joined(separator: ","), "a=" + String(repeating: "v", count: 257),
            String(repeating: "k", count: 257) + "=1", "k=" + String(repeating: "v,", count: 300),
        ]
        for text in wrong { #expect(try state([text]) == "", "\(text)") }
        // 512 bytes, and one more.
        let long = "a=\(String(repeating: "v", count: 250)),b=\(String(repeating: "v", count: 257 - 2))"
        #expect(try state([String(long.prefix(512))]).utf8.count <= 512)
        #expect(try state(["a=\(String(repeating: "v", count: 252)),b=\(String(repeating: "v", count: 256))"]) == "")
    }
}
