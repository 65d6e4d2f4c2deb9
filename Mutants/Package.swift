// swift-tools-version: 6.1

import PackageDescription

// A separate package, so that users and tests of the library don't build swift-syntax.
let package = Package(
  name: "DflatKVMutants",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
  ],
  targets: [
    .executableTarget(
      name: "mutants",
      dependencies: [
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SwiftOperators", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
