import StratusCloudModel

/// Which request a task works for, so that what is reported inside can be joined with what the client was told.
public enum RequestTrace {
    /// The identifier that answers carry; nil outside of requests.
    @TaskLocal public static var uuid: String?
    /// Where the request stands in a trace of its client's; nil if it has none.
    @TaskLocal public static var context: TraceContext?
}
