// swift-tools-version: 6.1
import PackageDescription

let cloudKit: [Target.Dependency] = [.product(name: "CloudKit", package: "stratus")]

// One package, so that the library is built once for all.
let package = Package(
    name: "Examples",
    dependencies: [.package(name: "stratus", path: "../..")],
    targets: [
        .executableTarget(name: "Tour", dependencies: cloudKit),
        .executableTarget(name: "Notes", dependencies: cloudKit),
        .executableTarget(name: "Places", dependencies: cloudKit),
        .executableTarget(name: "List", dependencies: cloudKit),
    ],
    swiftLanguageModes: [.v6]
)
