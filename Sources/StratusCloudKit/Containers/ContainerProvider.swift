import StratusWorkers

/// Gives containers in the place of the configuration's: how a test points code that makes its own containers at a cloud of
/// the test's.
package struct ContainerProvider: Sendable {
    /// The container of a name; nil asks for the default one.
    package var container: @Sendable (String?) -> CKContainer

    /// Takes what gives the containers.
    package init(container: @escaping @Sendable (String?) -> CKContainer) { self.container = container }

    /// Of the task and all that it starts.
    @TaskLocal package static var current: ContainerProvider?

    private static let everywhere = Lock<ContainerProvider?>(nil)

    /// Of the whole process, for what runs in no task.
    package static var installed: ContainerProvider? {
        get { everywhere.withLock { $0 } }
        set { everywhere.withLock { $0 = newValue } }
    }
}
