// swift-tools-version: 6.1

import PackageDescription

// `DFLATKV_TSAN=1 swift test --sanitize=thread`: the sanitizer can't see Synchronization.Mutex, so the package's only
// lock type becomes a pthread mutex.
let isForThreadSanitizer = Context.environment["DFLATKV_TSAN"] != nil

// `DFLATKV_SIMULATION=1 swift build -c release --scratch-path .build-simulation --product simulation`: replaces locks,
// queues, clocks and atomics by those of a simulated machine (Tests/Simulation), whose schedule a seed decides.
let isForSimulation = Context.environment["DFLATKV_SIMULATION"] != nil

// `DFLATKV_FUZZ=1 swift build … --product dflat-fuzz` (scripts/build-fuzz.sh): adds the fuzz targets (Fuzz), which call
// internal declarations of the modules and kvtool's parsers. kvtool becomes a library.
let isForFuzzing = Context.environment["DFLATKV_FUZZ"] != nil

let settings: [SwiftSetting] =
  [.enableUpcomingFeature("InternalImportsByDefault")]
  + (isForThreadSanitizer ? [.define("DFLATKV_PTHREAD_LOCKS")] : [])
  // DEBUG adds failpoints. Exclusivity isn't enforced, because Swift tracks accesses by thread, and simulated threads
  // switch within them.
  + (isForSimulation
    ? [
      .define("DFLATKV_SIMULATION"), .define("DEBUG"),
      .unsafeFlags(["-enforce-exclusivity=unchecked", "-suppress-warnings"]),
    ] : [])

let simulated: [Target.Dependency] = isForSimulation ? ["SimulatedRuntime"] : []

let deques: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heaps: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

/// The packages that only the trait `Etcd` uses, and fetches.
func etcd(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Etcd"]))
}

/// The modules of swift-nio, which the traits `Etcd` and `Web` use. Both targets name both traits: with a different condition
/// for each, SwiftPM fetches the package without any trait.
func nio(_ name: String) -> Target.Dependency {
  .product(name: name, package: "swift-nio", condition: .when(traits: ["Etcd", "Web"]))
}

let platformsWithoutCombine: [Platform] = [.linux, .android, .windows]

let package = Package(
  name: "DflatKV",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2), .macCatalyst(.v18)],
  products: [
    .library(name: "DflatBuffers", targets: ["DflatBuffers"]),
    .library(name: "DflatPropertyList", targets: ["DflatPropertyList"]),
    .library(name: "DflatCore", targets: ["DflatCore"]),
    .library(name: "DflatEntities", targets: ["DflatEntities"]),
    // Includes the modules that generated code imports.
    .library(name: "DflatKV", targets: ["DflatKV", "DflatEntities", "DflatCore", "DflatBuffers"]),
    // Publishers: Combine where the system has it, OpenCombine elsewhere. This is a product of its own, so that only
    // its users depend on OpenCombine.
    .library(name: "DflatCombine", targets: ["DflatCombine"]),
    // Copies values of UserDefaults. This is a product of its own, so that only its users link Foundation, which on
    // Linux brings ICU; the other modules get by with FoundationEssentials.
    .library(name: "DflatUserDefaults", targets: ["DflatUserDefaults"]),
    // Objects for SwiftUI and `withObservationTracking`. A product of its own, so that only its users load Swift's
    // Observation library.
    .library(name: "DflatObservation", targets: ["DflatObservation"]),
    // What the code that `dflatc graphql` writes calls. A product of its own, so that only its users build it.
    .library(name: "DflatResponses", targets: ["DflatResponses"]),
    // A client for etcd. Empty without the trait `Etcd`.
    .library(name: "DflatEtcd", targets: ["DflatEtcd"]),
    // A provider for swift-configuration. Empty without the trait `Configuration`.
    .library(name: "DflatConfiguration", targets: ["DflatConfiguration"]),
    // A workspace as a service of swift-service-lifecycle. Empty without the trait `ServiceLifecycle`.
    .library(name: "DflatServiceLifecycle", targets: ["DflatServiceLifecycle"]),
    // Sealed namespaces, whose values are encrypted. Empty without the trait `Sealing`.
    .library(name: "DflatSealing", targets: ["DflatSealing"]),
    // A meter for swift-metrics. Empty without the trait `Metrics`.
    .library(name: "DflatMetrics", targets: ["DflatMetrics"]),
    // A tracer for swift-distributed-tracing. Empty without the trait `Tracing`.
    .library(name: "DflatTracing", targets: ["DflatTracing"]),
    // The engines of replicated workspaces. Empty without the trait `Etcd`.
    .library(name: "DflatReplication", targets: ["DflatReplication"]),
    .library(name: "DflatSchema", targets: ["DflatSchema"]),
    .executable(name: "dflatc", targets: ["dflatc"]),
    .plugin(name: "DflatPlugin", targets: ["DflatPlugin"]),
    .plugin(name: "DflatGenerate", targets: ["DflatGenerate"]),
    .executable(name: "kvtool", targets: ["kvtool"]),
    // For Tests/EtcdTests, a package of its own.
    .executable(name: "StressWorker", targets: ["StressWorker"]),
  ],
  traits: [
    .trait(name: "Configuration", description: "Builds DflatConfiguration, which depends on swift-configuration."),
    .trait(name: "Etcd", description: "Builds DflatEtcd, which depends on async-http-client."),
    .trait(name: "Metrics", description: "Builds DflatMetrics, which depends on swift-metrics."),
    .trait(
      name: "Sealing", description: "Builds DflatSealing, which depends on swift-crypto, and kvtool's options for keys."
    ),
    .trait(
      name: "ServiceLifecycle", description: "Builds DflatServiceLifecycle, which depends on swift-service-lifecycle."),
    .trait(name: "Tracing", description: "Builds DflatTracing, which depends on swift-distributed-tracing."),
    .trait(name: "Web", description: "Builds `kvtool web`, which depends on swift-nio."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.26.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0"),
    .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"]), .yum(["sqlite-devel"])]),
    // Shared by all modules: the platform's C library, comparison of bytes, and names in the file.
    .target(name: "DflatSupport", swiftSettings: settings),
    .target(name: "DflatSQLite", dependencies: ["CSQLite", "DflatSupport"] + simulated, swiftSettings: settings),
    .target(name: "DflatBuffers", dependencies: ["DflatSupport"], swiftSettings: settings),
    .target(name: "DflatPropertyList", dependencies: ["DflatSupport"], swiftSettings: settings),
    .target(
      name: "DflatCore",
      dependencies: ["DflatSQLite", "DflatBuffers", "DflatSupport", deques, logging] + simulated,
      swiftSettings: settings),
    // DflatSchema compares the schemas of programs with those in a file.
    .target(
      name: "DflatEntities",
      dependencies: ["DflatCore", "DflatSchema", "DflatSupport", deques, heaps] + simulated,
      swiftSettings: settings),
    .target(
      name: "DflatKV",
      dependencies: ["DflatCore", "DflatEntities", "DflatPropertyList", "DflatSchema", "DflatSupport"] + simulated,
      swiftSettings: settings),
    .target(
      name: "DflatCombine",
      dependencies: [
        "DflatKV",
        .product(
          name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: platformsWithoutCombine)),
        .product(
          name: "OpenCombineDispatch", package: "OpenCombine", condition: .when(platforms: platformsWithoutCombine)),
      ],
      swiftSettings: settings),
    .target(
      name: "DflatUserDefaults", dependencies: ["DflatKV", "DflatPropertyList", "DflatSupport"],
      swiftSettings: settings),
    .target(name: "DflatObservation", dependencies: ["DflatKV"], swiftSettings: settings),
    .target(name: "DflatResponses", dependencies: ["DflatEntities", "DflatSupport"], swiftSettings: settings),
    // Tested by the package in Tests/EtcdTests, which enables the traits.
    .target(
      name: "DflatConfiguration",
      dependencies: [
        "DflatCore", "DflatKV", "DflatPropertyList",
        .product(name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Configuration"])),
      ],
      // swift-configuration is built like this, and closures have to match.
      swiftSettings: settings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    .target(
      name: "DflatServiceLifecycle",
      dependencies: [
        "DflatKV",
        .product(
          name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["ServiceLifecycle"])),
      ],
      swiftSettings: settings),
    .target(
      name: "DflatSealing",
      dependencies: [
        "DflatCore", "DflatKV",
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Sealing"])),
      ],
      swiftSettings: settings),
    .target(
      name: "DflatMetrics",
      dependencies: [
        "DflatKV", .product(name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
      ],
      swiftSettings: settings),
    .target(
      name: "DflatTracing",
      dependencies: [
        "DflatKV",
        .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
      ],
      swiftSettings: settings),
    .target(
      name: "DflatEtcd",
      dependencies: [
        etcd("AsyncHTTPClient", "async-http-client"), nio("NIOCore"), nio("NIOHTTP1"),
        nio("NIOPosix"), etcd("NIOSSL", "swift-nio-ssl"), logging,
      ],
      swiftSettings: settings),
    .target(
      name: "DflatReplication", dependencies: ["DflatCore", "DflatEtcd", "DflatSupport"], swiftSettings: settings),
    .target(name: "DflatSchema", dependencies: ["DflatSupport"], swiftSettings: settings),
    // GraphQL schemas and operations, for `dflatc graphql`.
    .target(name: "DflatGraphQL", dependencies: ["DflatSchema", "DflatSupport"], swiftSettings: settings),
    .executableTarget(
      name: "dflatc",
      dependencies: [
        "DflatGraphQL", "DflatSchema", "DflatSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .plugin(name: "DflatPlugin", capability: .buildTool(), dependencies: ["dflatc"]),
    .plugin(
      name: "DflatGenerate",
      capability: .command(
        intent: .custom(
          verb: "dflatc", description: "Compile the FlatBuffers schemas of targets into their folders, or lock them."),
        permissions: [.writeToPackageDirectory(reason: "Generated Swift files and locks stand beside their schemas.")]),
      dependencies: ["dflatc"]),
    .executableTarget(
      name: "kvtool",
      dependencies: [
        "DflatKV", "DflatEntities", "DflatBuffers", "DflatPropertyList", "DflatSchema", "DflatSupport",
        "DflatSQLite", "DflatReplication", "DflatSealing", "CLineEditor",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        nio("NIOCore"), nio("NIOHTTP1"), nio("NIOPosix"),
      ]),

    // The system's line editor, for `kvtool shell`.
    .target(name: "CLineEditor"),

    // Test support: a fault-injecting VFS, helpers, and the program that multi-process tests start.
    .target(name: "CFaultVFS", dependencies: ["CSQLite"], path: "Tests/CFaultVFS"),
    .target(
      name: "TestSupport",
      dependencies: ["CSQLite", "DflatKV", "DflatBuffers", "CFaultVFS", "GoldenModels", "MemoryReplication", logging],
      path: "Tests/TestSupport"),
    // A cluster in memory with faults, for tests and for the simulated machine.
    .target(
      name: "MemoryReplication", dependencies: ["CSQLite", "DflatCore"], path: "Tests/MemoryReplication",
      swiftSettings: settings),
    .executableTarget(
      name: "StressWorker",
      dependencies: ["DflatKV", "DflatReplication", "GoldenModels", "HistoryChecker", "TestSupport", "CFaultVFS"],
      path: "Tests/StressWorker"),
    // Judges the reads and writes of concurrent transactions, and knows nothing of this package.
    .target(name: "HistoryChecker", path: "Tests/HistoryChecker"),

    // `make torture`: machines that generate cases, and the driver that gives each its share of the time.
    .executableTarget(
      name: "torture",
      dependencies: [
        "DflatKV", "DflatEntities", "DflatCore", "DflatSQLite", "DflatBuffers", "GoldenModels", "HistoryChecker",
        "TestSupport",
        "CFaultVFS", "StressWorker", "TortureModel", "kvtool",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Torture", swiftSettings: settings),
    // Random programs over the whole API, and the plain model that they are compared with.
    .target(
      name: "TortureModel", dependencies: ["DflatKV", "DflatEntities", "GoldenModels", "TestSupport"],
      path: "Tests/TortureModel",
      swiftSettings: settings),

    // The compiler's output for the schemas beside it, which is checked in, compiled, and run by the tests.
    .target(
      name: "GoldenModels", dependencies: ["DflatEntities", "DflatBuffers"], path: "Tests/GoldenModels",
      exclude: ["Schemas"]),

    .testTarget(name: "DflatSupportTests", dependencies: ["DflatSupport"]),
    .testTarget(name: "DflatBuffersTests", dependencies: ["DflatBuffers", "TestSupport"]),
    .testTarget(
      name: "DflatSchemaTests", dependencies: ["DflatSchema", "TestSupport"], resources: [.copy("Fixtures")]),
    .testTarget(
      name: "GeneratedCodeTests",
      dependencies: ["GoldenModels", "DflatKV", "DflatEntities", "DflatBuffers", "TestSupport"]),
    .testTarget(
      name: "InteropTests", dependencies: ["GoldenModels", "DflatKV", "DflatBuffers", "DflatSchema", "TestSupport"],
      exclude: ["Samples", "Schemas"], resources: [.copy("Scripts")]),
    .testTarget(name: "DflatSQLiteTests", dependencies: ["DflatSQLite", "CSQLite", "CFaultVFS", "TestSupport"]),
    .testTarget(
      name: "DflatCoreTests",
      dependencies: [
        "CSQLite", "DflatSQLite", "DflatCore", "DflatKV", "GoldenModels", "TestSupport", deques, logging,
      ],
      resources: [.copy("Fixtures")]),
    .testTarget(name: "DflatPropertyListTests", dependencies: ["DflatPropertyList", "TestSupport"]),
    .testTarget(
      name: "DflatKVTests",
      dependencies: ["DflatKV", "DflatEntities", "DflatPropertyList", "DflatBuffers", "DflatSupport", "TestSupport"]),
    .testTarget(
      name: "EntityTests",
      dependencies: [
        "GoldenModels", "HistoryChecker", "DflatKV", "DflatEntities", "DflatSQLite", "DflatSchema", "TestSupport",
        "kvtool",
      ],
      exclude: ["Queries/Models/sample.fbs"]),
    .testTarget(name: "DflatCombineTests", dependencies: ["DflatCombine", "GoldenModels", "TestSupport"]),
    .testTarget(
      name: "DflatUserDefaultsTests",
      dependencies: ["DflatUserDefaults", "DflatKV", "DflatPropertyList", "DflatSupport", "kvtool", "TestSupport"]),
    .testTarget(name: "DflatObservationTests", dependencies: ["DflatObservation", "GoldenModels", "TestSupport"]),
    .testTarget(
      name: "GraphQLTests", dependencies: ["DflatGraphQL", "DflatSchema", "TestSupport"], exclude: ["Python"]),
    .testTarget(
      name: "ResponseTests", dependencies: ["DflatResponses", "DflatKV", "TestSupport"],
      exclude: [
        "GraphQL", "Models/Character.fbs", "Models/Character.fbs.lock", "Models/Film.fbs", "Models/Film.fbs.lock",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "DflatCTests", dependencies: ["dflatc", "DflatResponses", "TestSupport"], exclude: ["Python"]),
    .testTarget(
      name: "KVToolTests",
      dependencies: ["kvtool", "DflatKV", "DflatSQLite", "GoldenModels", "MemoryReplication", "TestSupport"]),
    .testTarget(
      name: "ProcessTests",
      dependencies: ["StressWorker", "GoldenModels", "HistoryChecker", "DflatKV", "TestSupport"]),
    .testTarget(
      name: "ReplicationTests",
      dependencies: [
        "CFaultVFS", "CSQLite", "DflatCore", "DflatSQLite", "DflatEntities", "DflatKV", "GoldenModels", "TestSupport",
      ]),
    .testTarget(name: "TortureTests", dependencies: ["torture", "TortureModel", "TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

if isForSimulation {
  package.targets += [
    .target(name: "CFibers", path: "Tests/Simulation/CFibers"),
    .target(
      name: "SimulatedRuntime", dependencies: ["CFibers", "DflatSupport"], path: "Tests/Simulation/Runtime",
      swiftSettings: settings),
    .executableTarget(
      name: "simulation",
      dependencies: [
        "DflatKV", "DflatSupport", "SimulatedRuntime", "CFaultVFS", "CSQLite", "GoldenModels", "MemoryReplication",
      ],
      path: "Tests/Simulation/Machine", swiftSettings: settings,
      // Exports the names of functions, for the stacks in a report.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic"])]),
  ]
}

if isForFuzzing {
  let dependencies = package.targets.first { $0.name == "kvtool" }?.dependencies ?? []
  package.products.removeAll { $0.name == "kvtool" }
  package.targets.removeAll { $0.name == "kvtool" }
  package.targets += [
    .target(
      name: "kvtool", dependencies: dependencies,
      // Renames its entry point, which would be a second `main`.
      swiftSettings: [.unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "kvtool_main"])]),
    .target(name: "CLibFuzzer", path: "Fuzz/Sources/CLibFuzzer"),
    .executableTarget(
      name: "dflat-fuzz",
      dependencies: [
        "CLibFuzzer", "DflatKV", "DflatEntities", "DflatCore", "DflatSQLite", "DflatBuffers", "DflatSchema",
        "DflatSupport", "kvtool",
      ],
      path: "Fuzz/Sources/DflatFuzz", plugins: ["DflatPlugin"]),
  ]
}
