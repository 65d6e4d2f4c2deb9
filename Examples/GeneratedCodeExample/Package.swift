// swift-tools-version: 6.1

import PackageDescription

// The generated code is checked in. After changing the schema, run:
//
//     swift package --allow-writing-to-package-directory dflatc
let package = Package(
  name: "GeneratedCodeExample",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "DflatKV", path: "../..")],
  targets: [
    .executableTarget(
      name: "GeneratedCodeExample",
      dependencies: [.product(name: "DflatKV", package: "DflatKV")],
      exclude: ["reading.fbs"])
  ]
)
