import Foundation
import StratusCompatibility
import Testing

/// The names of people, as programs show them.
@Suite struct PersonNameTests {
    private static let maple = PersonNameComponents(
        namePrefix: "Dr.", givenName: "Johnathan", middleName: "Maple", familyName: "Appleseed", nameSuffix: "Esq.",
        nickname: "Johnny")

    @Test func styles() {
        let name = Self.maple
        #expect(name.formatted() == "Johnathan Appleseed")
        #expect(name.formatted(.name(style: .medium)) == "Johnathan Appleseed")
        #expect(name.formatted(.name(style: .long)) == "Dr. Johnathan Maple Appleseed Esq.")
        #expect(name.formatted(.name(style: .short)) == "Johnny")
        #expect(name.formatted(.name(style: .abbreviated)) == "JA")
        let style = PersonNameComponents.FormatStyle(style: .long).locale(Locale(identifier: "ja_JP"))
        #expect(style.format(name) == "Dr. Johnathan Maple Appleseed Esq.")
    }

    @Test func whatIsMissing() {
        #expect(PersonNameComponents().formatted() == "")
        #expect(PersonNameComponents().formatted(.name(style: .abbreviated)) == "")
        #expect(PersonNameComponents(givenName: "Ada", familyName: "").formatted() == "Ada")
        #expect(PersonNameComponents(familyName: "Lovelace").formatted(.name(style: .short)) == "Lovelace")
        #expect(PersonNameComponents(familyName: "lovelace").formatted(.name(style: .abbreviated)) == "L")
        #expect(PersonNameComponents(nickname: "Ada").formatted() == "Ada")
    }

    @Test(arguments: [("美咲", "佐藤", "佐藤美咲"), ("민준", "김", "김민준"), ("さくら", "高橋", "高橋さくら")])
    func familyNamesThatComeFirst(given: String, family: String, whole: String) {
        let name = PersonNameComponents(givenName: given, familyName: family)
        #expect(name.formatted() == whole)
        #expect(name.formatted(.name(style: .abbreviated)) == family)
    }

    @available(*, deprecated)
    @Test func formatter() {
        var name = Self.maple
        name.phoneticRepresentation = PersonNameComponents(givenName: "Jon", familyName: "Apple")
        let formatter = PersonNameComponentsFormatter()
        #expect(formatter.style == .default && !formatter.isPhonetic)
        #expect(formatter.string(from: name) == "Johnathan Appleseed")
        formatter.style = .abbreviated
        #expect(formatter.string(from: name) == "JA")
        formatter.style = .medium
        formatter.isPhonetic = true
        #expect(formatter.string(from: name) == "Jon Apple")
        let long = PersonNameComponentsFormatter.localizedString(from: name, style: .long)
        #expect(long == "Dr. Johnathan Maple Appleseed Esq.")
        #expect(PersonNameComponentsFormatter.localizedString(from: name, style: .short, options: []) == "Johnny")
    }
}
