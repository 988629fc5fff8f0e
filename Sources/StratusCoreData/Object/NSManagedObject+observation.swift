import StratusObservation

extension NSManagedObject: ObservableObject {
    /// The publisher that sends before each change of a property, and before the object becomes a fault.
    public var objectWillChange: ObservableObjectPublisher {
        if let known = changes?.publisher { return known }
        let publisher = ObservableObjectPublisher()
        changesToWrite.publisher = publisher
        return publisher
    }

    /// Makes the object a changed one after a property has changed that the model does not describe, if the class wants so.
    func noteUnmodeledChange() {
        guard !type(of: self).contextShouldIgnoreUnmodeledPropertyChanges else { return }
        managedObjectContext?.noteChange(of: self)
    }
}
