/// A fault that a test puts in, to see whether histories find it.
package enum DriveMutation: String, Sendable, CaseIterable {
    /// All files have the same time, so that an agent does not see all changes.
    case sameTimes
    /// The server keeps no former contents.
    case noVersions
    /// An agent deletes a file without looking at it.
    case deletesUnseen
}
