import Glibc

/// A peer's address: as text, and as what its connections are counted by.
struct ClientAddress {
    /// The numeric address without its port; `unix` on a unix-domain socket.
    let text: String
    /// An IPv4 address or the /64 network of an IPv6 address; nil on a unix-domain socket.
    let network: UInt64?

    init(_ storage: sockaddr_storage) {
        switch Int32(storage.ss_family) {
        case AF_INET: self = Self.version4(storage)
        case AF_INET6: self = Self.version6(storage)
        default: (text, network) = ("unix", nil)
        }
    }

    private init(text: String, network: UInt64?) {
        self.text = text
        self.network = network
    }

    private static func version4(_ storage: sockaddr_storage) -> ClientAddress {
        withUnsafeBytes(of: storage) { bytes in
            let address = bytes.loadUnaligned(as: sockaddr_in.self).sin_addr
            return ClientAddress(text: numeric(AF_INET, address), network: UInt64(address.s_addr.bigEndian))
        }
    }

    private static func version6(_ storage: sockaddr_storage) -> ClientAddress {
        withUnsafeBytes(of: storage) { bytes in
            let address = bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return withUnsafeBytes(of: address) { octets in
                let isVersion4 = octets[0..<10].allSatisfy { $0 == 0 } && octets[10] == 0xFF && octets[11] == 0xFF
                if isVersion4 {
                    let inner = octets.loadUnaligned(fromByteOffset: 12, as: in_addr.self)
                    return ClientAddress(text: numeric(AF_INET, inner), network: UInt64(inner.s_addr.bigEndian))
                }
                let network = octets.loadUnaligned(as: UInt64.self).bigEndian
                return ClientAddress(text: numeric(AF_INET6, address), network: network)
            }
        }
    }

    private static func numeric<Address>(_ family: Int32, _ address: Address) -> String {
        withUnsafePointer(to: address) { address in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
                guard let start = buffer.baseAddress,
                    let text = inet_ntop(family, address, start, socklen_t(INET6_ADDRSTRLEN))
                else { return "?" }
                return String(cString: text)
            }
        }
    }
}
