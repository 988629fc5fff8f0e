import Foundation

// The description is read by the opening and handed to the block, which the caller made to receive it there. As with
// Apple, the program does not change it meanwhile.
/// The opening of a store on whatever queue it happens.
struct StoreOpening: @unchecked Sendable {
    let description: NSPersistentStoreDescription

    func run(
        in coordinator: NSPersistentStoreCoordinator,
        _ block: @Sendable (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        do {
            try coordinator.addPersistentStore(
                ofType: description.type, configurationName: description.configuration, at: description.url,
                options: description.options)
            block(description, nil)
        } catch {
            block(description, error)
        }
    }
}
