//
//  Product+CoreDataProperties.swift
//

import Foundation
import CoreData


extension Product {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Product> {
        return NSFetchRequest<Product>(entityName: "Product")
    }

    @NSManaged public var added: Date?
    @NSManaged public var kind: ProductKind
    @NSManaged public var title: String
    @NSManaged public var weight: Float  // in kilograms
    @NSManaged public var baskets: Set<Customer>?
    @NSManaged public private(set) var parts: NSOrderedSet?
    @NSManaged
    public var whole: Product?

}

// MARK: Generated accessors for baskets
extension Product {

    @objc(addBasketsObject:)
    @NSManaged public func addToBaskets(_ value: Customer)

    @objc(removeBasketsObject:)
    @NSManaged public func removeFromBaskets(_ value: Customer)

    @objc(addBaskets:)
    @NSManaged public func addToBaskets(_ values: NSSet)

    @objc(removeBaskets:)
    @NSManaged public func removeFromBaskets(_ values: NSSet)

}

// MARK: Generated accessors for parts
extension Product {

    @objc(insertObject:inPartsAtIndex:)
    @NSManaged public func insertIntoParts(_ value: Product, at idx: Int)

    @objc(removeObjectFromPartsAtIndex:)
    @NSManaged public func removeFromParts(at idx: Int)

    @objc(insertParts:atIndexes:)
    @NSManaged public func insertIntoParts(_ values: [Product], at indexes: NSIndexSet)

    @objc(removePartsAtIndexes:)
    @NSManaged public func removeFromParts(at indexes: NSIndexSet)

    @objc(replaceObjectInPartsAtIndex:withObject:)
    @NSManaged public func replaceParts(at idx: Int, with value: Product)

    @objc(replacePartsAtIndexes:withParts:)
    @NSManaged public func replaceParts(at indexes: NSIndexSet, with values: [Product])

    @objc(addPartsObject:)
    @NSManaged public func addToParts(_ value: Product)

    @objc(removePartsObject:)
    @NSManaged public func removeFromParts(_ value: Product)

    @objc(addParts:)
    @NSManaged public func addToParts(_ values: NSOrderedSet)

    @objc(removeParts:)
    @NSManaged public func removeFromParts(_ values: NSOrderedSet)

}

// swift-format-ignore
extension Product : Identifiable {

}
