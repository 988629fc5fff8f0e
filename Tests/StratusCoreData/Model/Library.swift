import StratusCoreData

/// A model of works, books and their authors.
enum Library {
    static func model() -> NSManagedObjectModel {
        let work = entity("Work", [NSAttributeDescription.make("title", .string)])
        work.isAbstract = true
        let book = entity("Book", [NSAttributeDescription.make("pages", .integer32)])
        let author = entity("Author", [NSAttributeDescription.make("name", .string)])
        work.subentities = [book]

        let authors = NSRelationshipDescription()
        authors.name = "authors"
        let books = NSRelationshipDescription()
        books.name = "books"
        authors.destinationEntity = author
        authors.inverseRelationship = books
        books.destinationEntity = book
        books.inverseRelationship = authors
        book.properties += [authors]
        author.properties += [books]

        let model = NSManagedObjectModel()
        model.entities = [work, book, author]
        return model
    }

    private static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }
}
