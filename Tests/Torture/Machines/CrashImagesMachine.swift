import DflatKV
import Foundation
import TestSupport

/// Records the file operations of transactions, and opens the file that a crash after any of them leaves (A10).
struct CrashImagesMachine: Machine {
  static let name = "crash-images"
  static let summary =
    "Opens what is left of the file by a crash at each operation, unsynced sectors kept, lost or torn"
  static let unit = "images"
  static let share = 14.0
  static let goal = 100_000
  static let keepsFilesInMemory = true

  private static let imagesPerRound = 64
  private let environment: TortureEnvironment

  init(environment: TortureEnvironment) throws { self.environment = environment }

  func round(seed: UInt64) throws -> Int {
    var random = SeededGenerator(seed: seed)
    let commits = try Self.record(in: environment.directory("recorded"), &random)
    var images = 0
    while images < Self.imagesPerRound {
      let count = Int.random(in: 0...commits.recorder.count, using: &random)
      let image = Self.image(images, &random)
      let folder = try TemporaryDirectory("image")
      try commits.recorder.writeImage(after: count, image, into: folder)
      do {
        if images % 16 == 7 {
          images += try crashAgain(commits, folder, after: count, image, &random)
        } else {
          try commits.check(folder, after: count, image)
        }
      } catch {
        // Writes the image once more, into the folder that the driver keeps.
        try commits.recorder.writeImage(after: count, image, into: environment.directory("image"))
        throw Finding("\((error as? Finding)?.message ?? "\(error)")", case: commits.describe(image, after: count))
      }
      images += 1
    }
    return images
  }

  private static func image(_ index: Int, _ random: inout SeededGenerator) -> CrashRecorder.Image {
    switch index % 4 {
    case 0: .all
    case 1: .synced
    case 2: .subset(seed: random.next())
    default: .torn(seed: random.next())
    }
  }

  private static func record(
    in folder: TemporaryDirectory, _ random: inout SeededGenerator
  ) throws -> RecordedCommits {
    let hasMembers = Int.random(in: 0..<12, using: &random) == 0
    let commits = try RecordedCommits(
      in: folder, synchronous: Bool.random(using: &random) ? .full : .normal, hasMembers: hasMembers)
    for _ in 1...Int.random(in: 1...16, using: &random) {
      let bytes = [0, 10, 600, 5_000, 200_000, 1_500_000].randomElement(using: &random) ?? 0
      if Int.random(in: 0..<4, using: &random) == 0 {
        try commits.writePlainly()
      } else {
        try commits.transact(bytes: bytes)
      }
      switch Int.random(in: 0..<12, using: &random) {
      case 0: try commits.compact()
      case 1: try commits.reopen(flags: [[], .truncate, .vacuum].randomElement(using: &random) ?? [])
      case 2...5 where hasMembers: commits.wantIndexes()
      default: break
      }
    }
    commits.close()
    return commits
  }

  /// Crashes once more while the image is recovered, read and written to. Returns the number of further images.
  private func crashAgain(
    _ commits: RecordedCommits, _ folder: TemporaryDirectory, after count: Int, _ image: CrashRecorder.Image,
    _ random: inout SeededGenerator
  ) throws -> Int {
    let recorder = try CrashRecorder(folder: folder)
    try commits.check(folder, after: count, image, vfs: FaultPlan.vfsName)
    let most = recorder.count
    for index in 0..<4 {
      let second = try TemporaryDirectory("image")
      let (operation, kind) = (Int.random(in: 0...most, using: &random), Self.image(index, &random))
      try recorder.writeImage(after: operation, kind, into: second)
      // The log is synced no better than the first crash left it: with `.normal` the second crash may lose what the
      // first one spared.
      do { try commits.check(second, after: count, kind.isOfDeath ? image : kind, isSecond: true) } catch {
        try recorder.writeImage(after: operation, kind, into: environment.directory("second"))
        throw Finding(
          "\(error) It crashed again after operation \(operation) of its recovery, \(recorder.describe(operation)): \(kind)."
        )
      }
    }
    return 4
  }
}

extension CrashRecorder.Image {
  /// True if the process died and the machine did not.
  fileprivate var isOfDeath: Bool { if case .all = self { true } else { false } }
}
