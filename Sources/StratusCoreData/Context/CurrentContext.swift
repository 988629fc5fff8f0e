import Foundation

/// The context whose block runs now, for requests that are executed without naming a context.
enum CurrentContext {
    @TaskLocal static var value: NSManagedObjectContext?
}

extension NSFetchRequest {
    /// Returns what the request finds in the context whose `perform` or `performAndWait` block calls the method.
    /// - Throws: An error with the code `coreData` outside of such blocks, where Apple raises an exception.
    public func execute() throws -> [ResultType] {
        guard let context = CurrentContext.value else {
            throw CocoaError.make(.coreData, "a fetch request is executed in a block of a context's 'perform'")
        }
        return try context.fetch(self)
    }
}
