import Foundation
import Testing

@testable import StratusCoreData

final class ManagedClassesTestObject: NSManagedObject {}

@Suite struct ManagedClassesTests {
    @Test(arguments: [
        "StratusCoreDataTests.ManagedClassesTestObject", "ManagedClassesTestObject", ".ManagedClassesTestObject",
        "Product.ManagedClassesTestObject",
    ])
    func aNameMayLeaveOutTheModule(_ name: String) {
        let modules = ManagedClasses.modules(
            of: URL(fileURLWithPath: "/a/My_App_StratusCoreDataTests.resources/M.momd"))
        #expect(ManagedClasses.named(name, modules: modules) == ManagedClassesTestObject.self)
    }

    @Test func otherClassesAreNotFound() {
        #expect(ManagedClasses.named("Missing", modules: ["StratusCoreDataTests"]) == nil)
        #expect(ManagedClasses.named("ManagedClassesTests", modules: ["StratusCoreDataTests"]) == nil)
        #expect(ManagedClasses.named("NSString", modules: []) == nil)
    }

    @Test func theFolderOfResourcesNamesTheModule() {
        func modules(_ path: String) -> [String] { ManagedClasses.modules(of: URL(fileURLWithPath: path)) }
        #expect(modules("/a/Shop_shop-model.resources/Shop.xcdatamodeld") == ["shop_model"])
        #expect(modules("/a/My_Shop_Model.bundle/Shop.momd") == ["Shop_Model", "Model"])
        #expect(modules("/a/Shop.momd") == [])
    }
}
