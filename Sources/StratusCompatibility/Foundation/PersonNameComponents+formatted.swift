import Foundation

// What programs show of the people of a share. Foundation on Linux has the components of names, and nothing that puts them
// together.
extension PersonNameComponents {
    /// Puts the components of a name together.
    ///
    /// On Apple's systems the user's settings have a say; here the script of the name has it alone: names in Chinese, Japanese
    /// or Korean characters begin with the family name, all others with the given name.
    public struct FormatStyle: Foundation.FormatStyle, Codable, Hashable, Sendable {
        /// How much of a name.
        public enum Style: Int, Codable, Hashable, Sendable {
            /// The nickname, or else the given name.
            case short
            /// Given name and family name.
            case medium
            /// All there is but the nickname.
            case long
            /// Initials.
            case abbreviated
        }

        /// How much of a name.
        public var style: Style
        /// Kept; no rule here depends on it.
        public var locale: Locale

        /// Says how much of a name is wanted.
        public init(style: Style = .medium, locale: Locale = .autoupdatingCurrent) {
            self.style = style
            self.locale = locale
        }

        /// The same for another locale.
        public func locale(_ locale: Locale) -> FormatStyle { FormatStyle(style: style, locale: locale) }

        /// The name; empty for one without components.
        public func format(_ value: PersonNameComponents) -> String {
            switch style {
            case .short: value.short
            case .medium: value.joined([value.givenName], [value.familyName])
            case .long:
                value.joined(
                    [value.namePrefix, value.givenName, value.middleName], [value.familyName, value.nameSuffix])
            case .abbreviated: value.initials
            }
        }
    }

    /// Given name and family name.
    public func formatted() -> String { formatted(FormatStyle()) }

    /// The name as a style makes it.
    public func formatted<Style: Foundation.FormatStyle>(
        _ style: Style
    ) -> Style.FormatOutput where Style.FormatInput == PersonNameComponents { style.format(self) }

    private var short: String { [nickname, givenName, familyName].lazy.compactMap { $0?.nonempty }.first ?? "" }

    private var initials: String {
        let names = [givenName, familyName].compactMap { $0?.nonempty }
        // One character of such a name is a name, and two are all of it.
        if isFamilyFirst { return familyName?.nonempty ?? names.first ?? "" }
        return names.compactMap { $0.first.map { $0.uppercased() } }.joined()
    }

    private func joined(_ given: [String?], _ family: [String?]) -> String {
        let parts = (isFamilyFirst ? family + given : given + family).compactMap { $0?.nonempty }
        return parts.isEmpty ? nickname ?? "" : parts.joined(separator: isFamilyFirst ? "" : " ")
    }

    private var isFamilyFirst: Bool {
        let name = [givenName, familyName].compactMap { $0 }.joined()
        return !name.isEmpty && name.unicodeScalars.allSatisfy(\.isEastAsian)
    }
}

extension FormatStyle where Self == PersonNameComponents.FormatStyle {
    /// The name of a person.
    public static func name(style: PersonNameComponents.FormatStyle.Style) -> Self { Self(style: style) }
}

extension String {
    fileprivate var nonempty: String? { isEmpty ? nil : self }
}

extension Unicode.Scalar {
    /// Whether it is of the characters that Chinese, Japanese and Korean names are written in.
    fileprivate var isEastAsian: Bool {
        switch value {
        case 0x1100...0x11FF, 0x3005, 0x3040...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7AF,
            0xF900...0xFAFF, 0x20000...0x323AF:
            true
        default: false
        }
    }
}
