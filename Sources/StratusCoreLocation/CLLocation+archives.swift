extension CLLocation {
    /// Lets every unarchiver of the process read archives that Apple's classes wrote, by the names they have there.
    ///
    /// Archives carry class names, and Swift's contain the module. Whoever reads archives of Apple's calls this once
    /// before; the SDK does. Calling it again does nothing more.
    public static func registerAppleArchiveNames() {
        NSKeyedUnarchiver.setClass(CLLocation.self, forClassName: "CLLocation")
        NSKeyedUnarchiver.setClass(CLFloor.self, forClassName: "CLFloor")
        NSKeyedUnarchiver.setClass(CLLocationSourceInformation.self, forClassName: "CLLocationSourceInformation")
    }
}
