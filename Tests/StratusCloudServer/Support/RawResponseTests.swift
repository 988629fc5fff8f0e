import Testing

/// How the tests' own client reads answers.
@Suite struct RawResponseTests {
    /// Where chunks begin depends on the sender's timing, and their lengths may have capital digits.
    @Test func chunksAreJoined() throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let whole = try RawResponse(Array((head + "A\r\n\"operation\r\n7\r\n\":\"one\"\r\n0\r\n\r\n").utf8))
        #expect(whole.body == "\"operation\":\"one\"")
        // What came of an answer that broke off.
        #expect(try RawResponse(Array((head + "a\r\n01234").utf8)).body == "01234")
    }
}
