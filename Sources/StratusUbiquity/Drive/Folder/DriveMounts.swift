import Foundation
import StratusCUbiquity
import StratusWorkers

/// The disks that are mounted on folders of a container.
///
/// While a disk is not mounted, its directory is there, and is empty. Nobody has deleted what was in it.
final class DriveMounts: Sendable {
    private struct State {
        var devices: [String: UInt64] = [:]
        var device: @Sendable (Int32) -> UInt64 = { stratus_mount_device($0) }
    }

    private let state = Lock(State())

    /// Chooses how the device of what is mounted on an open directory is found, which is 0 if nothing is.
    func find(_ device: @escaping @Sendable (Int32) -> UInt64) { state.withLock { $0.device = device } }

    /// The device of what is mounted on a directory now; 0 if nothing is.
    func device(of directory: DriveDirectory) -> UInt64 { state.withLock { $0.device }(directory.descriptor) }

    /// Sets the devices that the folders at these paths in the container have to have.
    func expect(_ devices: [String: UInt64]) { state.withLock { $0.devices = devices } }

    /// - Parameter names: The names on the way to the directory, from the container on.
    /// - Throws: ``DriveFailure/unmounted(_:)`` if something else is mounted on it, or nothing any more.
    func check(_ directory: DriveDirectory, at names: ArraySlice<String>) throws {
        let devices = state.withLock { $0.devices }
        guard !devices.isEmpty, let expected = devices[names.joined(separator: "/")],
            device(of: directory) != expected
        else { return }
        throw DriveFailure.unmounted(names.last ?? "")
    }
}
