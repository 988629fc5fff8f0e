/// Every limit of the room.
public enum TelemetryLimits {
    /// Bytes of UTF-8 of a message, a field's name or a field's text in the log; the rest is cut.
    public static let logText = 8_192
    /// Fields of one log line; further ones are left out.
    public static let logFields = 64
    /// Bytes of lines that wait to be written; lines beyond are dropped and counted.
    public static let logBuffer = 1 << 20
    /// Label sets of one metric; observations of further ones are counted under `overflow="true"`.
    public static let seriesPerMetric = 1_000
}
