import Testing

@testable import DflatEntities

@Suite struct EntityIdentityTests {
  @Test("Identities are equal if they have the same row, commit and file")
  func equality() {
    let one = EntityIdentity(rowid: 1, commitNumber: 2, file: 3, insertion: nil)
    let same = EntityIdentity(rowid: 1, commitNumber: 2, file: 3, insertion: nil)
    #expect(one == same && one.hashValue == same.hashValue)
    let others = [(9, 2, 3), (1, 9, 3), (1, 2, 9)].map { rowid, commit, file in
      EntityIdentity(rowid: rowid, commitNumber: commit, file: file, insertion: nil)
    }
    for other in others { #expect(other != one) }
    #expect(Set([one, same] + others).count == 4)
  }

  @Test("An object is stored in the file that it was read from, and in no file before it is stored")
  func files() {
    #expect(EntityIdentity(rowid: 1, commitNumber: 2, file: 3, insertion: nil).isStored(inFile: 3))
    #expect(!EntityIdentity(rowid: 1, commitNumber: 2, file: 3, insertion: nil).isStored(inFile: 4))
    // Zero is the number of a file that isn't known.
    #expect(!EntityIdentity(rowid: 1, commitNumber: 2).isStored(inFile: 0))
    #expect(!EntityIdentity(rowid: -1, commitNumber: 2, file: 3, insertion: nil).isStored(inFile: 3))
    #expect(!EntityIdentity.unsaved.isStored(inFile: 0))
  }
}
