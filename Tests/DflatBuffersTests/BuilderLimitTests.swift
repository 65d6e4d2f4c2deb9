import DflatBuffers
import Testing

/// What was written can be read: the builder refuses what the verifier would.
@Suite("Building within limits") struct BuilderLimitTests {
  private func chain(_ length: Int) -> Node {
    var node = Node(value: 1)
    for _ in 1..<length { node = Node(value: 1, next: node) }
    return node
  }

  private func code<R>(_ body: () throws -> R) -> FlatBufferError.Code? {
    failure(body)?.code
  }

  @Test("As deep as the limit, however the root is written") func depth() throws {
    #expect(try Buffer.decode(Buffer.of(chain(64))) == chain(64))
    #expect(code { try Buffer.of(chain(65)) } == .tooDeep)
    for (length, expected) in [(64, nil), (65, FlatBufferError.Code.tooDeep), (200, .tooDeep)] {
      var builder = FlatBufferBuilder()
      let root = builder.create(chain(length))
      var code: FlatBufferError.Code?
      do throws(FlatBufferError) { try builder.finish(root) } catch { code = error.code }
      #expect(code == expected)
    }
  }

  @Test("A union's table is a level") func unions() throws {
    var monster = Monster(name: "x")
    monster.equipped = .node(chain(63))
    #expect(try Buffer.decode(Buffer.of(monster)) == monster)
    monster.equipped = .node(chain(64))
    #expect(code { try Buffer.of(monster) } == .tooDeep)
  }

  @Test("As many tables as the limit") func tables() throws {
    let limits = FlatBufferLimits(maximumTables: 4)
    #expect(try Buffer.decode(Buffer.of(chain(4), limits: limits), limits: limits) == chain(4))
    #expect(code { try Buffer.of(chain(5), limits: limits) } == .tooManyTables)
  }

  @Test("As large as the limit") func size() throws {
    var monster = Monster(name: "x")
    monster.inventory = [UInt8](repeating: 7, count: 1000)
    monster.tags = ["a", "b", "a"]
    let size = try Buffer.of(monster).count
    for maximum in 0..<size + 20 {
      let limits = FlatBufferLimits(maximumSize: maximum)
      let result = code {
        let bytes = try Buffer.of(monster, limits: limits)
        let read = try Buffer.decode(Monster.self, bytes, limits: limits)
        #expect(read == monster)
      }
      if maximum < size { #expect(result == .tooLarge) }
      // The shared string is visited twice.
      if maximum >= size + 8 { #expect(result == nil) }
    }
  }

  @Test("No limit on the size exceeds the format's, however it is set") func formatSize() {
    var limits = FlatBufferLimits(maximumSize: .max)
    #expect(limits == FlatBufferLimits())
    limits.maximumSize = 1 << 31
    #expect(limits.maximumSize == Int(Int32.max))
    limits.maximumSize = 7
    #expect(limits.maximumSize == 7)
  }

  @Test("A layout refuses a union, or a vector of them, without a slot for the kinds") func slotsOfUnions() async {
    _ = TableLayout.Field.vector("fits", 6, of: .union { UnionLayout("U", members: [:]) })
    await #expect(processExitsWith: .failure) {
      _ = TableLayout.Field.union("u", 4) { UnionLayout("U", members: [:]) }
    }
    await #expect(processExitsWith: .failure) {
      _ = TableLayout.Field.vector("u", 4, of: .union { UnionLayout("U", members: [:]) })
    }
  }

  @Test("Shared strings count as often as they are read") func sharedStrings() throws {
    var monster = Monster(name: "x")
    monster.tags = Array(repeating: String(repeating: "y", count: 1000), count: 100)
    let limits = FlatBufferLimits(maximumSize: 50_000)
    #expect(code { try Buffer.of(monster, limits: limits) } == .tooLarge)
    let bytes = try Buffer.of(monster)
    #expect(bytes.count < 2000)
    #expect(code { try Buffer.decode(Monster.self, bytes, limits: limits) } == .tooLarge)
  }

  @Test("A table has at most 65,535 bytes") func tableSize() throws {
    var builder = FlatBufferBuilder()
    let large = [UInt8](repeating: 1, count: 65_532)
    builder.startTable(slots: 1)
    large.withUnsafeBytes { builder.add(structure: $0, alignment: 4, at: 4) }
    let root = builder.endTable()
    var failure: FlatBufferError?
    do throws(FlatBufferError) { try builder.finish(root) } catch { failure = error }
    #expect(failure?.code == .tooLarge)
  }

  @Test("Arrays are not cut") func arrays() throws {
    var monster = Monster(name: "x")
    monster.pos = Vec3(corners: [1, 2, 3, 4])
    #expect(code { try Buffer.of(monster) } == .arrayTooLong)
    monster.pos = nil
    monster.path = [Vec3(corners: [1, 2, 3, 4])]
    #expect(code { try Buffer.of(monster) } == .arrayTooLong)
    monster.path = [Vec3(corners: [1])]
    #expect(try Buffer.decode(Monster.self, Buffer.of(monster)).path == [Vec3(corners: [1, 0, 0])])
  }

  @Test("The first error is kept until reset") func sticky() throws {
    var builder = FlatBufferBuilder(limits: FlatBufferLimits(maximumDepth: 2))
    var codes: [FlatBufferError.Code?] = []
    for value in [chain(3), chain(2)] {
      let root = value.to(flatBufferBuilder: &builder)
      do throws(FlatBufferError) {
        try builder.finish(root)
        codes.append(nil)
      } catch {
        codes.append(error.code)
      }
    }
    #expect(codes == [.tooDeep, .tooDeep])
    builder.reset()
    let root = chain(2).to(flatBufferBuilder: &builder)
    try builder.finish(root)
    #expect(builder.withFinishedBytes { $0.count } > 0)
  }

  @Test("Offsets of other buffers are refused") func foreign() throws {
    var other = FlatBufferBuilder()
    let text = other.create(String(repeating: "x", count: 100))
    var builder = FlatBufferBuilder()
    builder.startTable(slots: 1)
    builder.add(text, at: 4)
    let root = builder.endTable()
    var failure: FlatBufferError?
    do throws(FlatBufferError) { try builder.finish(root) } catch { failure = error }
    #expect(failure?.code == .offsetOutOfBounds)
  }

  @Test("Identifiers have four bytes") func identifiers() {
    #expect(code { try Buffer.of(Weapon(), identifier: "ABC") } == .wrongIdentifier)
    #expect(code { try Buffer.of(Weapon(), identifier: "ABCDE") } == .wrongIdentifier)
  }
}
