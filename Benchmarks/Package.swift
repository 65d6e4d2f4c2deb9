// swift-tools-version: 6.1

import PackageDescription

// `DFLATKV_COUNTS=1`: for the counts of instructions (scripts/count-instructions.py), without the other stores: GRDB's build
// takes longer than that of the benchmarks, and LMDB and RocksDB have to be installed (`make deps-bench`).
let isForCounts = Context.environment["DFLATKV_COUNTS"] != nil

let package = Package(
  name: "DflatKVBenchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "dflatkv-benchmarks", targets: ["DflatKVBenchmarks"])
  ],
  dependencies: [
    // The traits of the installed tools (TRAITS in the Makefile), whose build folder the counts share.
    .package(name: "DflatKV", path: "..", traits: ["Sealing", "Web"]),
    .package(url: "https://github.com/google/swift-benchmark", from: "0.1.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ] + (isForCounts ? [] : [.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")]),
  targets: [
    .systemLibrary(
      name: "CSQLiteBaseline", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"]), .yum(["sqlite-devel"])]),
    .executableTarget(
      name: "DflatKVBenchmarks",
      dependencies: [
        "CSQLiteBaseline",
        .product(name: "DflatBuffers", package: "DflatKV"),
        .product(name: "DflatCore", package: "DflatKV"),
        .product(name: "DflatEntities", package: "DflatKV"),
        .product(name: "DflatKV", package: "DflatKV"),
        .product(name: "DflatPropertyList", package: "DflatKV"),
        .product(name: "DflatResponses", package: "DflatKV"),
        .product(name: "DflatSchema", package: "DflatKV"),
        .product(name: "Benchmark", package: "swift-benchmark"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ] + (isForCounts ? [] : [.product(name: "GRDB", package: "GRDB.swift"), "CLMDB", "CRocksDB"]),
      exclude: isForCounts ? ["GRDB", "Stores"] : [],
      swiftSettings: isForCounts ? [.define("WITHOUT_OTHER_STORES")] : [],
      plugins: [.plugin(name: "DflatPlugin", package: "DflatKV")]),
  ]
    + (isForCounts
      ? []
      : [
        .systemLibrary(
          name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"]), .yum(["lmdb-devel"])]),
        .systemLibrary(
          name: "CRocksDB", pkgConfig: "rocksdb",
          providers: [.apt(["librocksdb-dev"]), .brew(["rocksdb"]), .yum(["rocksdb-devel"])]),
      ]) + [
      .testTarget(name: "DflatKVBenchmarksTests", dependencies: ["DflatKVBenchmarks"])
    ],
  swiftLanguageModes: [.v6]
)
