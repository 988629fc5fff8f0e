import StratusCloudCrypto
import StratusCloudModel
import StratusHTTPTransport
import StratusTelemetry

/// A request as a step of a trace that its client began.
struct RequestSpan: Sendable {
    /// What the client says: its own step.
    let parent: TraceContext
    /// The step that answering the request is.
    let context: TraceContext

    /// Nil if the client has no trace, or says it in a way that is none.
    init?(_ headers: HTTPHeaders, random: RandomSource = .system) {
        // Nearly all requests: one look.
        guard headers["traceparent"] != nil,
            let parent = TraceContext(traceparent: headers.all("traceparent"), tracestate: headers.all("tracestate"))
        else { return nil }
        self.parent = parent
        context = parent.step(random.integer())
    }
}

extension LogFields {
    /// The trace, this step of it and the one that caused it.
    mutating func append(_ span: RequestSpan) {
        append("trace", .string(span.context.traceID))
        append("span", .string(span.context.spanID))
        append("parentSpan", .string(span.parent.spanID))
    }
}
