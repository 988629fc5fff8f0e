import Testing

@testable import StratusHTTPClient

@Suite struct RetryAfterTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
    ])
    func dates(text: String, seconds: Int64) { #expect(HTTPDate.seconds(text) == seconds) }

    @Test(arguments: [
        "", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nou 1994 08:49:37 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
    ])
    func notDates(text: String) { #expect(HTTPDate.seconds(text) == nil) }

    /// A peer may say anything: a day at most is believed.
    @Test(arguments: [
        ("0", 0), ("86400", 86_400), ("86401", 86_400), ("9223372036854775807", 86_400),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400), ("Fri, 02 Jan 1970 00:00:00 GMT", 86_400),
        ("Thu, 01 Jan 1970 23:59:59 GMT", 86_399), ("-1", nil), ("9223372036854775808", nil),
    ])
    func waits(text: String, seconds: Int?) {
        #expect(RetryAfter.seconds(text, now: 0) == seconds)
    }
}
