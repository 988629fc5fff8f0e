import CoreData
import Testing

@Suite struct GeneratedClassTests {
    private let container = NSPersistentContainer(name: "Shop")

    private func context() -> NSManagedObjectContext { container.newBackgroundContext() }

    @Test func thePluginsModelIsTheCurrentVersion() {
        #expect(container.managedObjectModel.versionIdentifiers == ["2"])
        #expect(Set(container.managedObjectModel.entitiesByName.keys) == ["Customer", "Order", "PaidOrder", "Product"])
    }

    @Test func attributesHaveTheirTypes() {
        let context = context()
        context.performAndWait {
            let customer = Customer(context: context)
            #expect(customer.isMember && customer.visits == 0 && customer.averageRating == 0 && customer.joined == 60)
            #expect(customer.name == nil && customer.level == nil && customer.balance == nil)
            customer.visits += 3
            customer.averageRating = 4.5
            customer.isMember = false
            customer.joined = 120
            customer.level = 7
            customer.name = "Ada"
            customer.default = "d"
            customer.balance = NSDecimalNumber(string: "1.25")
            customer.birthday = Date(timeIntervalSinceReferenceDate: 1)
            customer.id = UUID()
            customer.page = URL(string: "https://example.org")
            customer.photo = Data([1, 2])
            customer.tags = ["a", "b"]
            #expect(customer.visits == 3 && customer.averageRating == 4.5 && !customer.isMember)
            #expect(customer.value(forKey: "joined") as? Date == Date(timeIntervalSinceReferenceDate: 120))
            #expect(customer.level == 7 && customer.name == "Ada" && customer.default == "d")
            #expect(customer.balance == NSDecimalNumber(string: "1.25") && customer.birthday != nil)
            #expect(customer.id != nil && customer.page?.host == "example.org" && customer.photo?.count == 2)
            #expect(customer.tags == ["a", "b"])
            customer.name = nil
            customer.level = nil
            #expect(customer.name == nil && customer.level == nil)
        }
    }

    @Test func toManyAccessorsKeepBothSides() {
        let context = context()
        context.performAndWait {
            let customer = Customer(context: context)
            let orders = [Order(context: context), PaidOrder(context: context)]
            customer.addToOrders(orders[0])
            #expect(orders[0].customer === customer)
            customer.addToOrders(NSSet(array: orders))
            #expect(customer.orders?.count == 2)
            customer.removeFromOrders(orders[0])
            #expect(orders[0].customer == nil && customer.orders as? Set<Order> == [orders[1]])
            customer.removeFromOrders(NSSet(array: orders))
            #expect(customer.orders?.count == 0)
            orders[1].customer = customer
            orders[1].number = 5
            #expect(customer.orders?.count == 1 && orders[1].label == "Order 5")
        }
    }

    @Test func orderedAccessorsKeepTheOrder() {
        let context = context()
        context.performAndWait {
            let customer = Customer(context: context)
            let products = ["a", "b", "c", "d"].map { title in
                let product = Product(context: context)
                product.title = title
                return product
            }
            func titles() -> String { (customer.basket?.array as? [Product] ?? []).map(\.title).joined() }
            customer.addToBasket(products[0])
            customer.insertIntoBasket(products[1], at: 0)
            #expect(titles() == "ba")
            customer.addToBasket(NSOrderedSet(array: [products[2], products[3]]))
            #expect(titles() == "bacd")
            customer.removeFromBasket(at: 1)
            customer.replaceBasket(at: 0, with: products[0])
            #expect(titles() == "acd")
            customer.removeFromBasket(at: NSIndexSet(indexesIn: NSRange(location: 1, length: 2)))
            customer.insertIntoBasket(
                [products[2], products[1]], at: NSIndexSet(indexesIn: NSRange(location: 0, length: 2)))
            #expect(titles() == "cba")
            customer.removeFromBasket(NSOrderedSet(array: [products[0], products[2]]))
            customer.replaceBasket(at: NSIndexSet(index: 0), with: [products[3]])
            #expect(titles() == "d" && products[3].baskets == [customer])
            customer.removeFromBasket(products[3])
            #expect(titles() == "" && products[3].baskets == [])
        }
    }

    @Test func requestsFetchTheEntity() {
        let customers: NSFetchRequest<Customer> = Customer.fetchRequest()
        let paid: NSFetchRequest<PaidOrder> = PaidOrder.fetchRequest()
        #expect(customers.entityName == "Customer" && paid.entityName == "PaidOrder")
    }
}
