import Foundation

/// A person's name in an archive of Apple's. Foundation's own class on Linux expects the parts at another place, and fails.
final class ArchivedPersonName: NSObject, NSSecureCoding {
    let components: PersonNameComponents

    static var supportsSecureCoding: Bool { true }

    init?(coder: NSCoder) {
        if let parts = coder.decoded(ArchivedPersonName.self, "NS.nameComponentsPrivate") {
            components = parts.components
            return
        }
        guard !coder.hasFailed else { return nil }
        components = PersonNameComponents(archived: { name in
            coder.decoded(NSString.self, "NS." + name.prefix(1).lowercased() + name.dropFirst()) as String?
        })
    }

    /// Does nothing, as none is ever written.
    func encode(with coder: NSCoder) {}

    /// The name of a key; nil if there is none, or one that cannot be read.
    static func decoded(_ coder: NSCoder, _ key: String) -> PersonNameComponents? {
        coder.substituting(self, for: "NSPersonNameComponents") {
            coder.decoded(ArchivedPersonName.self, key)?.components
        }
    }
}

extension PersonNameComponents {
    /// Puts a name together from its parts, which archives of the SDK hold under ``archivedParts``' names.
    init(archived part: (String) -> String?) {
        self.init()
        namePrefix = part("NamePrefix")
        givenName = part("GivenName")
        middleName = part("MiddleName")
        familyName = part("FamilyName")
        nameSuffix = part("NameSuffix")
        nickname = part("Nickname")
    }

    /// The parts with their names in archives.
    var archivedParts: [(String, String?)] {
        [
            ("NamePrefix", namePrefix), ("GivenName", givenName), ("MiddleName", middleName),
            ("FamilyName", familyName), ("NameSuffix", nameSuffix), ("Nickname", nickname),
        ]
    }
}
