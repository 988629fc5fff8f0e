//
//  Product+CoreDataClass.swift
//

import Foundation
import CoreData

@objc(Product)
public class Product: NSManagedObject {
    /// The text `@NSManaged public var title` is in a comment and stays: #keyPath(Product.title).
    static let note = "@objc(Product) #keyPath(Product.title)"

    override public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
    }

    static var titlePredicate: NSPredicate {
        NSPredicate(format: "\(#keyPath(Product.title)) == %@", "A")
    }

    static let titleKey = #keyPath(title)
    static let path = #keyPath(Product.whole.title)

    @NSManaged private var primitiveTitle: String
    @NSManaged private var primitiveKind: Int16

    func rename(to title: String) -> String {
        defer { (primitiveTitle, primitiveKind) = (title, 2) }
        return primitiveTitle
    }

    static var anyRequest: NSFetchRequest<any NSFetchRequestResult> {
        let request: NSFetchRequest<Product> = fetchRequest()
        return request as! NSFetchRequest<any NSFetchRequestResult>
    }

    @objc func touch() { added = Date(timeIntervalSinceReferenceDate: 5) }
}

@objc public enum ProductKind: Int16 {
    case book = 1
    case film = 2
}
