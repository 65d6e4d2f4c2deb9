import DflatBuffers
import DflatKV
import Foundation
import TestSupport
import Testing

/// Limits of the memory and the tables that reading a FlatBuffers value may take.
@Suite struct FlatBuffersLimitTests {
  private let note = Note(title: "x", tags: Array(repeating: String(repeating: "y", count: 500), count: 100))

  @Test("A value that exceeds the dictionary's limit is undecodable in every read")
  func dictionary() throws {
    let roomy = try TestWorkspace()
    try roomy.workspace.transactAndWait { $0.dictionary["note"] = note }
    let strict = try roomy.another { $0.flatBufferLimits.maximumMemory = 20_000 }
    let error = #expect(throws: WorkspaceError.self) { try strict.dictionary.value(forKey: "note", as: Note.self) }
    #expect(error?.code == .undecodable)
    #expect((error?.underlying as? FlatBufferError)?.code == .tooMuchMemory)
    #expect(strict.dictionary["note", Note.self] == nil)
    let change = EventLog<WorkspaceError.Code?>()
    let subscription = strict.dictionary.subscribe(withPrefix: "") { (event: DictionaryChange) in
      do { _ = try event.value(as: Note.self) } catch { change.append((error as? WorkspaceError)?.code) }
    }
    try roomy.workspace.transactAndWait { $0.dictionary["note"] = Note(title: "z", tags: note.tags) }
    #expect(try change.wait(forCount: 1).first == .undecodable)
    subscription.cancel()
    let other = try roomy.another()
    #expect(try other.dictionary.value(forKey: "note", as: Note.self)?.title == "z")
  }

  @Test("A value that exceeds the limits given to init(data:limits:) is refused")
  func data() throws {
    let data = note.toData()
    #expect(try Note(data: data) == note)
    #expect { try Note(data: data, limits: FlatBufferLimits(maximumMemory: 20_000)) } throws: {
      ($0 as? FlatBufferError)?.code == .tooMuchMemory
    }
    let nested = Nested(levels: 5)
    let levels = nested.toData()
    for limits in [FlatBufferLimits(maximumTables: 5), .init(maximumDepth: 5), .init(maximumSize: levels.count)] {
      #expect(try Nested(data: levels, limits: limits) == nested)
    }
    for (limits, code) in [
      (FlatBufferLimits(maximumTables: 4), FlatBufferError.Code.tooManyTables),
      (.init(maximumDepth: 4), .tooDeep), (.init(maximumSize: levels.count - 1), .tooLarge),
    ] {
      #expect { try Nested(data: levels, limits: limits) } throws: { ($0 as? FlatBufferError)?.code == code }
    }
  }

  @Test("A builder refuses a value that exceeds its limits")
  func writing() throws {
    var builder = FlatBufferBuilder(limits: FlatBufferLimits(maximumMemory: 20_000))
    #expect { try note.encoded(with: &builder) } throws: { ($0 as? FlatBufferError)?.code == .tooMuchMemory }
    builder = FlatBufferBuilder(limits: FlatBufferLimits(maximumMemory: 200_000))
    #expect(try note.encoded(with: &builder) == note.toData())
  }
}
