// swift-tools-version: 6.1

import PackageDescription

// The code of the tutorials in DflatKV's documentation.
let dflat: Target.Dependency = .product(name: "DflatKV", package: "DflatKV")

let package = Package(
  name: "Tutorials",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "tickets", targets: ["Tickets"]),
    .executable(name: "notes-v1", targets: ["NotesV1"]),
    .executable(name: "notes-v2", targets: ["NotesV2"]),
    .executable(name: "observing", targets: ["Observing"]),
  ],
  dependencies: [.package(name: "DflatKV", path: "../..")],
  targets: [
    .executableTarget(name: "Tickets", dependencies: [dflat]),
    .executableTarget(
      name: "NotesV1", dependencies: [dflat], plugins: [.plugin(name: "DflatPlugin", package: "DflatKV")]),
    .executableTarget(
      name: "NotesV2", dependencies: [dflat], plugins: [.plugin(name: "DflatPlugin", package: "DflatKV")]),
    .executableTarget(
      name: "Observing", dependencies: [dflat, .product(name: "DflatObservation", package: "DflatKV")]),
  ],
  swiftLanguageModes: [.v6]
)
