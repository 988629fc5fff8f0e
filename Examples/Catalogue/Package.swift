// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Catalogue",
    dependencies: [.package(name: "stratus", path: "../..")],
    targets: [
        .executableTarget(
            name: "Catalogue",
            dependencies: [
                .product(name: "CloudKit", package: "stratus", condition: .when(platforms: [.linux])),
                .product(name: "CoreData", package: "stratus", condition: .when(platforms: [.linux])),
            ],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "stratus")])
    ],
    swiftLanguageModes: [.v6]
)
