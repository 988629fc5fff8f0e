import StratusCloudModel
import StratusCloudStore

/// What an account says of its person beside the address to sign in with.
struct Profile: StoredValue, Hashable {
    static let format: UInt8 = 1

    var givenName: String?
    var familyName: String?
    /// As ``PhoneNumber/normalized(_:)`` gives it.
    var phone: String?

    init() {}

    init(from reader: inout ByteReader) throws {
        givenName = try reader.optional { try $0.string() }
        familyName = try reader.optional { try $0.string() }
        phone = try reader.optional { try $0.string() }
    }

    func write(to writer: inout ByteWriter) {
        for value in [givenName, familyName, phone] { writer.write(optional: value) { $0.write($1) } }
    }

    /// The profile of an account; an empty one if it never said anything.
    static func read(of accountID: String, in transaction: any ReadTransaction) throws -> Profile {
        try transaction.value(at: DirectoryKey.profile(of: accountID)) ?? Profile()
    }
}

/// What to change of an account's profile: nil leaves a value as it is, an empty text removes it.
public struct ProfileChange: Hashable, Sendable {
    /// At most ``ServiceLimits/labelLength`` bytes.
    public var givenName: String?
    /// Likewise.
    public var familyName: String?
    /// International, such as `+44 20 7946 0000`; of one account only.
    public var phone: String?

    /// Makes a change.
    public init(givenName: String? = nil, familyName: String? = nil, phone: String? = nil) {
        self.givenName = givenName
        self.familyName = familyName
        self.phone = phone
    }

    /// The profile after the change.
    func applied(to profile: Profile) throws(CloudError) -> Profile {
        var profile = profile
        if let givenName { profile.givenName = try Self.name(givenName, "given name") }
        if let familyName { profile.familyName = try Self.name(familyName, "family name") }
        if let phone { profile.phone = phone.isEmpty ? nil : try PhoneNumber.checked(phone) }
        return profile
    }

    private static func name(_ text: String, _ noun: String) throws(CloudError) -> String? {
        guard text.utf8.count <= ServiceLimits.labelLength else {
            throw CloudError(.badRequest, "the \(noun) has more than \(ServiceLimits.labelLength) bytes")
        }
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw CloudError(.badRequest, "the \(noun) contains control characters")
        }
        return text.isEmpty ? nil : text
    }
}

/// Phone numbers as accounts compare them.
enum PhoneNumber {
    /// What people write between the digits.
    private static let ornaments: Set<Unicode.Scalar> = [" ", "\u{A0}", "-", ".", "(", ")", "/"]

    /// A plus and the digits; nil for what is no international number.
    static func normalized(_ text: String) -> String? {
        var digits = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !ornaments.contains(scalar) { digits.append(scalar) }
        var number = String(digits)
        if number.hasPrefix("00") { number = "+" + number.dropFirst(2) }
        guard number.first == "+", ServiceLimits.phoneDigits.contains(number.utf8.count - 1),
            number.utf8.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return number
    }

    static func checked(_ text: String) throws(CloudError) -> String {
        guard let number = normalized(text) else {
            throw CloudError(
                .badRequest,
                "'\(text.prefix(32))' is not an international phone number: a plus and "
                    + "\(ServiceLimits.phoneDigits.lowerBound) to \(ServiceLimits.phoneDigits.upperBound) digits")
        }
        return number
    }
}
