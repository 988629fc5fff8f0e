import StratusHTTPClient
import Testing

@Suite struct NetworkAddressTests {
    @Test(arguments: [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.255", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
        "203.0.113.9", "224.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:8.8.8.8",
        "64:ff9b::10.0.0.1",
        "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:a00:1::", "3fff::1", "fc00::1", "fd12::1", "fe80::1",
        "ff02::1",
    ])
    func notForEverybody(text: String) throws { #expect(try !#require(NetworkAddress(text)).isPublic) }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.0.1.1", "198.17.0.1",
        "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00::1", "2001:4860:4860::8888", "64:ff9b::8.8.8.8",
    ])
    func forEverybody(text: String) throws { #expect(try #require(NetworkAddress(text)).isPublic) }

    @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.256", "0x7f.1", "::g"])
    func notAddresses(text: String) { #expect(NetworkAddress(text) == nil) }

    @Test(arguments: ["127.0.0.1", "localhost", "2130706433", "0x7f000001"])
    func aClientForTheInternetConnectsToNothingElse(host: String) async throws {
        let server = try TestServer { _ in .ok() }
        defer { server.stop() }
        var options = HTTPClientOptions()
        options.allowsPrivateAddresses = false
        let request = HTTPClientRequest(url: "http://\(host):\(server.port)/")
        let error = await #expect(throws: HTTPClientError.self) { try await HTTPClient(options: options).send(request) }
        #expect(error?.code == .forbiddenAddress)
    }
}
