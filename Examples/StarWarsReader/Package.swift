// swift-tools-version: 6.1

import PackageDescription

// In your own package, use .package(url: …) instead of the path.
let package = Package(
  name: "StarWarsReader",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "starwars", targets: ["StarWarsReader"])],
  dependencies: [
    .package(name: "DflatKV", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .executableTarget(
      name: "StarWarsReader",
      dependencies: [
        .product(name: "DflatKV", package: "DflatKV"),
        .product(name: "DflatResponses", package: "DflatKV"),  // what the generated code calls
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      plugins: [.plugin(name: "DflatPlugin", package: "DflatKV")])
  ],
  swiftLanguageModes: [.v6]
)
