// swift-tools-version: 6.1

import PackageDescription

// In your own package, use .package(url: …) instead of the path.
let package = Package(
  name: "Notebook",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "notebook", targets: ["Notebook"]),
    .executable(name: "notebook-v1", targets: ["NotebookV1"]),
  ],
  dependencies: [
    .package(name: "DflatKV", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .executableTarget(
      name: "Notebook",
      dependencies: [
        .product(name: "DflatKV", package: "DflatKV"),
        .product(name: "DflatObservation", package: "DflatKV"),  // observed values, for the live list
        .product(name: "DflatUserDefaults", package: "DflatKV"),  // the import of earlier preferences
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      plugins: [.plugin(name: "DflatPlugin", package: "DflatKV")]),
    // The first release of the program, which may still run on files of the second.
    .executableTarget(
      name: "NotebookV1",
      dependencies: [.product(name: "DflatKV", package: "DflatKV")],
      plugins: [.plugin(name: "DflatPlugin", package: "DflatKV")]),
  ],
  swiftLanguageModes: [.v6]
)
