// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Documents",
    dependencies: [.package(name: "stratus", path: "../..")],
    targets: [
        .executableTarget(
            name: "Documents",
            dependencies: [.product(name: "UIKit", package: "stratus", condition: .when(platforms: [.linux]))])
    ],
    swiftLanguageModes: [.v6]
)
