import StratusCloudModel
import StratusHTTPClient

extension HTTPHeaders {
    /// Lets the service that is called take part in a client's trace.
    mutating func append(_ trace: TraceContext?) {
        guard let trace else { return }
        append("traceparent", trace.traceparent)
        if !trace.state.isEmpty { append("tracestate", trace.state) }
    }
}
