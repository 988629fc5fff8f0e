import CoreData
import Foundation
import StratusCoreDataMirroring
import StratusTesting

/// A device: the files of its store, and the process of the program that runs on it.
struct MirrorDevice {
    let number: Int
    let device: LocalCloud.Device
    let file: URL
    let publicFile: URL
    let isGuests: Bool
    var container: NSPersistentCloudKitContainer?
    /// The context of the program.
    var context: NSManagedObjectContext?
    var isBusy = false
    var offline: LocalCloud.Injection?

    init(_ number: Int, _ device: LocalCloud.Device, isGuests: Bool, in folder: URL) {
        (self.number, self.device, self.isGuests) = (number, device, isGuests)
        publicFile = folder.appendingPathComponent("\(device.name)-public.sqlite")
        file = folder.appendingPathComponent("\(device.name).sqlite")
    }

    static func name(_ number: Int) -> String { String(UnicodeScalar(UInt8(ascii: "A") + UInt8(number % 26))) }
}
