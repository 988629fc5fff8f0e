import Glibc

/// What a client is counted by where addresses are: its IPv4 address, or the /64 network of its IPv6 address, all of which
/// whoever has one of them has as a rule.
public enum ClientNetwork {
    /// The network of an address in numbers, such as `2001:db8:0:1::/64`; the text itself if it is no IPv6 address, as that
    /// of an IPv4 address is.
    public static func text(of address: String) -> String {
        guard address.utf8.contains(UInt8(ascii: ":")) else { return address }
        var binary = in6_addr()
        guard inet_pton(AF_INET6, address, &binary) == 1 else { return address }
        if let inner = version4(in: binary) { return numeric(AF_INET, inner) }
        let number = number(of: binary)
        let groups = [48, 32, 16, 0].map { String(UInt16(truncatingIfNeeded: number >> UInt64($0)), radix: 16) }
        return groups.joined(separator: ":") + "::/64"
    }

    /// The upper half of an address.
    static func number(of address: in6_addr) -> UInt64 {
        withUnsafeBytes(of: address) { $0.loadUnaligned(as: UInt64.self).bigEndian }
    }

    /// The IPv4 address that an IPv6 address stands for; nil if it stands for itself.
    static func version4(in address: in6_addr) -> in_addr? {
        withUnsafeBytes(of: address) { octets in
            guard octets[0..<10].allSatisfy({ $0 == 0 }), octets[10] == 0xFF, octets[11] == 0xFF else { return nil }
            return octets.loadUnaligned(fromByteOffset: 12, as: in_addr.self)
        }
    }

    /// An address in numbers.
    static func numeric<Address>(_ family: Int32, _ address: Address) -> String {
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
