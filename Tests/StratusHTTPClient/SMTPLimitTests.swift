import StratusHTTPClient
import Testing

/// What is not handed to a mail server, on both sides of the edge. Nobody listens: what is handed over fails as unavailable.
@Suite("Limits of SMTP") struct SMTPLimitTests {
    private func send(_ message: SMTPMessage) async -> SMTPError.Code? {
        var options = SMTPOptions(host: "127.0.0.1", port: 1, security: .none)
        options.connectTimeout = .seconds(5)
        do throws(SMTPError) {
            try await SMTPClient(options).send(message)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func aMessageOfAMebibyteAndNotMore() async {
        for (size, expected) in [
            (SMTPLimits.messageSize, SMTPError.Code.unavailable), (SMTPLimits.messageSize + 1, .refused),
        ] {
            let message = SMTPMessage(
                sender: "a@example.org", recipient: "b@example.org", content: [UInt8](repeating: 0x61, count: size))
            #expect(await send(message) == expected)
        }
    }

    @Test(arguments: [
        ("a.b@example.org", true), ("a@localhost", true), ("a@example..org", false), ("a@.example.org", false),
        ("a@example.org.", false), (".a@example.org", false), ("a.@example.org", false), ("a..b@example.org", false),
        ("a@.", false), ("@example.org", false), ("a@", false), ("a@b@example.org", false),
    ])
    func dotsSeparateWhatIsThere(address: String, isOne: Bool) async {
        #expect(SMTPMessage.isAddress(address) == isOne)
        #expect(
            await send(SMTPMessage(sender: "a@example.org", recipient: address, content: []))
                == (isOne ? .unavailable : .refused))
    }

    @Test func anAddressOf254Bytes() async {
        let domain = "@example.org"
        let longest = String(repeating: "a", count: SMTPLimits.addressLength - domain.utf8.count) + domain
        for (address, isOne) in [(longest, true), ("a" + longest, false)] {
            #expect(SMTPMessage.isAddress(address) == isOne)
            for message in [
                SMTPMessage(sender: address, recipient: "b@example.org", content: []),
                SMTPMessage(sender: "a@example.org", recipient: address, content: []),
            ] {
                #expect(await send(message) == (isOne ? .unavailable : .refused))
            }
        }
    }
}
