import StratusCloudModel

extension TraceContext {
    init(from reader: inout ByteReader) throws {
        let (parent, state) = (try reader.string(), try reader.string())
        guard let context = TraceContext(traceparent: [parent], tracestate: [state]) else {
            throw ByteReader.Malformed()
        }
        self = context
    }

    func write(to writer: inout ByteWriter) {
        writer.write(traceparent)
        writer.write(state)
    }
}
