import Foundation
import StratusCoreData
import Testing

@Suite struct ManagedObjectValidationTests {
    private func error(_ validate: () throws -> Void) -> NSError? {
        do {
            try validate()
            return nil
        } catch {
            return error as NSError
        }
    }

    @Test func aMissingRequiredValueIsNamed() throws {
        try Family().run { family in
            let parent = family.insert("Parent")
            let error = try #require(self.error { try parent.validateForInsert() })
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == CocoaError.Code.validationMissingMandatoryProperty.rawValue)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "name")
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === parent)
            parent.setValue("P", forKey: "name")
            try parent.validateForInsert()
        }
    }

    @Test func severalErrorsAreDetailed() throws {
        let family = try Family { model in
            let children = try #require(model.entitiesByName["Parent"]?.relationshipsByName["children"])
            (children.isOptional, children.minCount) = (false, 1)
        }
        try family.run { family in
            let error = try #require(self.error { try family.insert("Parent").validateForUpdate() })
            #expect(error.code == CocoaError.Code.validationMultipleErrors.rawValue)
            let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
            #expect(details.map(\.code) == [1580, 1570])
        }
    }

    @Test func aRequiredToManyRelationshipWithoutALeastNumberMayBeEmpty() throws {
        let family = try Family { model in
            try #require(model.entitiesByName["Parent"]?.relationshipsByName["children"]).isOptional = false
        }
        try family.run { family in
            let parent = family.insert("Parent")
            parent.setValue("P", forKey: "name")
            try parent.validateForInsert()
        }
    }

    @Test(arguments: [(-32768, 0), (32767, 0), (32768, 1610), (-32769, 1620)])
    func aNumberMustFitItsType(_ age: Int, _ code: Int) throws {
        Family().run { family in
            let child = family.insert("Child")
            child.setValue(age, forKey: "age")
            #expect(error { try child.validateForInsert() }?.code ?? 0 == code)
        }
    }

    @Test func predicatesOfTheModelAreAskedOfValuesThatExist() throws {
        let family = try Family { model in
            let name = try #require(model.entitiesByName["Child"]?.attributesByName["name"])
            name.setValidationPredicates(
                [NSPredicate(format: "length <= 3"), NSPredicate(format: "SELF BEGINSWITH 'A'")],
                withValidationWarnings: [1660, "The name begins with another letter."])
        }
        try family.run { family in
            let child = family.insert("Child")
            try child.validateForInsert()
            child.setValue("Anna", forKey: "name")
            #expect(error { try child.validateForInsert() }?.code == 1660)
            child.setValue("Bea", forKey: "name")
            let error = try #require(self.error { try child.validateForInsert() })
            #expect(error.code == CocoaError.Code.managedObjectValidation.rawValue)
            #expect(error.localizedDescription == "The name begins with another letter.")
        }
    }

    @Test func aRelationshipCanDenyADeletion() throws {
        try Family(childrenRule: .denyDeleteRule).run { family in
            let parent = family.insert("Parent", named: "P")
            let child = family.insert("Child", named: "Ada")
            try parent.validateForDelete()
            child.setValue(parent, forKey: "parent")
            let error = try #require(self.error { try parent.validateForDelete() })
            #expect(error.code == CocoaError.Code.validationRelationshipDeniedDelete.rawValue)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "children")
        }
    }
}
