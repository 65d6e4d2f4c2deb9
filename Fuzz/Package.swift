// swift-tools-version: 6.1

import PackageDescription

// A package of its own, so that nobody who uses the library builds it. The sanitizers' options come from scripts/fuzz.sh,
// as they have to reach the library's modules too.
let package = Package(
  name: "DflatKVFuzz",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "DflatKV", path: "..")
  ],
  targets: [
    .target(name: "CLibFuzzer"),
    .executableTarget(
      name: "dflat-fuzz",
      dependencies: [
        "CLibFuzzer",
        .product(name: "DflatBuffers", package: "DflatKV"),
        .product(name: "DflatCore", package: "DflatKV"),
        .product(name: "DflatSchema", package: "DflatKV"),
      ],
      path: "Sources/DflatFuzz",
      plugins: [.plugin(name: "DflatPlugin", package: "DflatKV")]),
  ],
  swiftLanguageModes: [.v6]
)
