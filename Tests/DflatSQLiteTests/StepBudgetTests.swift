import Testing

@testable import DflatSQLite

@Suite struct StepBudgetTests {
  private static func allows(_ steps: Int64, in sizes: [Int64]) -> Bool {
    StepBudget.allows(steps, perByte: 4, inFilesOf: sizes)
  }

  @Test("A statement may take some steps in any file, and more for each byte of the database and its log")
  func steps() {
    let minimum = StepBudget.minimum
    #expect(Self.allows(minimum, in: [0, 0]))
    #expect(!Self.allows(minimum + 4, in: [0, 0]))
    #expect(Self.allows(minimum + 4_000, in: [600, 400]))
    #expect(!Self.allows(minimum + 4_004, in: [600, 400]))
    #expect(!Self.allows(.max, in: [600, 400]))
  }

  @Test("Sizes of files with holes don't overflow")
  func largestSizes() {
    for sizes in [[.max, .max], [.max, 0], [0, .max], [1 << 62, 1 << 62]] as [[Int64]] {
      #expect(Self.allows(StepBudget.minimum * 1_000, in: sizes))
      #expect(StepBudget.allows(.max, perByte: StepBudget.perByteOfAnyTable, inFilesOf: sizes))
    }
  }
}
