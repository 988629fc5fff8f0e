// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Posts",
    dependencies: [.package(name: "stratus", path: "../..")],
    targets: [
        .executableTarget(
            name: "Posts",
            dependencies: [.product(name: "CoreData", package: "stratus", condition: .when(platforms: [.linux]))],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "stratus")])
    ],
    swiftLanguageModes: [.v6]
)
