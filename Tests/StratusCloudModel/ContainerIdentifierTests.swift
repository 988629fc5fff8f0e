import StratusCloudModel
import Testing

@Suite struct ContainerIdentifierTests {
    @Test(arguments: ["iCloud.a", "iCloud.org.example.my-notes_2"])
    func acceptsNamesThatBeginWithICloud(name: String) {
        #expect(ContainerIdentifier(name)?.rawValue == name)
    }

    @Test(arguments: ["", "iCloud.", "org.example", "icloud.a", "iCloud.a/b", "iCloud.é", "iCloud.a b"])
    func refusesOtherNames(name: String) {
        #expect(ContainerIdentifier(name) == nil)
    }

    @Test func nameLengthIsBounded() {
        let prefix = "iCloud."
        let longest = prefix + String(repeating: "a", count: ModelLimits.nameLength - prefix.count)
        #expect(ContainerIdentifier(longest) != nil)
        #expect(ContainerIdentifier(longest + "a") == nil)
    }
}
