import Glibc

/// A peer's address: as text, and as what its connections are counted by.
struct ClientAddress {
    /// The numeric address without its port; `unix` on a unix-domain socket.
    let text: String
    /// An IPv4 address or the /64 network of an IPv6 address; nil on a unix-domain socket.
    let network: UInt64?
    /// The text of every client on a unix-domain socket.
    static let unixText = "unix"

    init(_ storage: sockaddr_storage) {
        switch Int32(storage.ss_family) {
        case AF_INET: self = Self.version4(storage)
        case AF_INET6: self = Self.version6(storage)
        default: (text, network) = (Self.unixText, nil)
        }
    }

    private init(text: String, network: UInt64?) {
        self.text = text
        self.network = network
    }

    private static func version4(_ storage: sockaddr_storage) -> ClientAddress {
        withUnsafeBytes(of: storage) { ClientAddress($0.loadUnaligned(as: sockaddr_in.self).sin_addr) }
    }

    private static func version6(_ storage: sockaddr_storage) -> ClientAddress {
        withUnsafeBytes(of: storage) { bytes in
            let address = bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            if let inner = ClientNetwork.version4(in: address) { return ClientAddress(inner) }
            return ClientAddress(
                text: ClientNetwork.numeric(AF_INET6, address), network: ClientNetwork.number(of: address))
        }
    }

    private init(_ address: in_addr) {
        self.init(text: ClientNetwork.numeric(AF_INET, address), network: UInt64(address.s_addr.bigEndian))
    }
}
