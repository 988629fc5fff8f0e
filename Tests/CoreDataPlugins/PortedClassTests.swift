import CoreData
import CoreData.NSManagedObject
import Testing

@Suite struct PortedClassTests {
    private let container = NSPersistentContainer(name: "Shop")

    @Test func propertiesWorkAsXcodeDeclaredThem() {
        let context = container.newBackgroundContext()
        context.performAndWait {
            let product = Product(context: context)
            #expect(product.title == "New" && product.weight == 0.5 && product.kind == .book)
            product.title += "er"
            product.kind = .film
            product.touch()
            #expect(product.title == "Newer" && product.kind == .film)
            #expect(product.value(forKey: "kind") as? Int16 == 2)
            #expect(product.added == Date(timeIntervalSinceReferenceDate: 5))
            let customer = Customer(context: context)
            product.baskets = [customer]
            #expect(customer.basket?.array.first as? Product === product)
            product.removeFromBaskets(customer)
            #expect(product.baskets?.isEmpty == true)
        }
    }

    @Test func primitiveAccessorsGiveNoNotice() throws {
        let context = container.newBackgroundContext()
        context.performAndWait {
            let product = Product(context: context)
            #expect(product.rename(to: "Old") == "New")
            #expect(product.title == "Old" && product.kind == .film)
            #expect(product.changedValues().isEmpty)
            #expect(product.value(forKey: "primitiveTitle") as? String == "Old")
        }
    }

    @Test func requestsAreCast() {
        #expect(Product.anyRequest.entityName == "Product")
        #expect(NSBatchDeleteRequest(fetchRequest: Product.anyRequest).fetchRequest.entityName == "Product")
    }

    @Test func expressionsAreMadeOfKeyPaths() {
        #expect(container.managedObjectModel.entitiesByName["Unmodeled"] == nil)
        let expressions: any KeyPathExpressions = ProductExpressions()
        #expect(expressions.keyPaths == ["whole.title", "baskets", "owner.name", "day"])
    }

    @Test func aModelInCodeNamesClassesWithoutTheirModule() {
        let (model, entity, text) = (NSManagedObjectModel(), NSEntityDescription(), NSAttributeDescription())
        (text.name, text.attributeType) = ("text", .stringAttributeType)
        (entity.name, entity.managedObjectClassName, entity.properties) = ("Note", "Note", [text])
        model.entities = [entity]
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        context.performAndWait {
            #expect(NSEntityDescription.insertNewObject(forEntityName: "Note", into: context) is Note)
        }
    }

    @Test func orderedAccessorsWork() {
        let context = container.newBackgroundContext()
        context.performAndWait {
            let products = (0..<4).map { _ in Product(context: context) }
            products[0].addToParts(products[1])
            products[0].insertIntoParts(products[2], at: 0)
            products[0].replaceParts(at: 1, with: products[3])
            #expect(products[0].parts?.array as? [Product] == [products[2], products[3]])
            #expect(products[3].whole === products[0] && products[1].whole == nil)
        }
    }

    @Test func keyPathsAreTexts() {
        #expect(Product.path == "whole.title")
        #expect(Product.note == "@objc(Product) #keyPath(Product.title)")
        #expect(Product.titlePredicate == NSPredicate(format: "title == %@", "A"))
    }

    @Test func objectsAreSavedAndFetchedInTheOrderOfAKeyPath() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = NSPersistentStoreDescription(url: folder.appendingPathComponent("Shop.sqlite"))
        container.persistentStoreDescriptions = [store]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        let context = container.newBackgroundContext()
        try context.performAndWait {
            for (title, kind) in [("b", ProductKind.film), ("a", .book), ("c", .book)] {
                let product = Product(context: context)
                (product.title, product.kind) = (title, kind)
            }
            try context.save()
        }
        let other = container.newBackgroundContext()
        try other.performAndWait {
            let request: NSFetchRequest<Product> = Product.fetchRequest()
            request.predicate = NSPredicate(format: "%K != %@", Product.titleKey, "c")
            request.sortDescriptors = [
                NSSortDescriptor(keyPath: \Product.kind.rawValue, ascending: false),
                NSSortDescriptor(keyPath: \Product.title, ascending: true),
            ]
            let found = try other.fetch(request)
            #expect(found.map(\.title) == ["b", "a"])
        }
    }
}

/// Foundation on Linux calls `NSExpression` deprecated; only through a protocol is it used without warnings.
private protocol KeyPathExpressions {
    var keyPaths: [String] { get }
}

private struct ProductExpressions: KeyPathExpressions {
    @available(*, deprecated)
    var keyPaths: [String] {
        [
            NSExpression(forKeyPath: \Product.whole?.title), NSExpression(forKeyPath: \Product.baskets),
            NSExpression(forKeyPath: \Unmodeled.owner.name), NSExpression(forKeyPath: \Unmodeled.day),
        ].map(\.keyPath)
    }
}
