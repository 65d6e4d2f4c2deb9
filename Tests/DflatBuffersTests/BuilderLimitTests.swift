import DflatBuffers
import Testing

/// The builder refuses buffers that the verifier would refuse, so each finished buffer can be read.
@Suite struct BuilderLimitTests {
  private func chain(_ length: Int) -> Node {
    var node = Node(value: 1)
    for _ in 1..<length { node = Node(value: 1, next: node) }
    return node
  }

  private func code<R>(_ body: () throws -> R) -> FlatBufferError.Code? {
    failure(body)?.code
  }

  @Test("The builder refuses values deeper than the limit, however the root is written") func depth() throws {
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

  @Test("A union's table counts as a level of depth") func unions() throws {
    var monster = Monster(name: "x")
    monster.equipped = .node(chain(63))
    #expect(try Buffer.decode(Buffer.of(monster)) == monster)
    monster.equipped = .node(chain(64))
    #expect(code { try Buffer.of(monster) } == .tooDeep)
  }

  @Test("The builder refuses more tables than the limit") func tables() throws {
    let limits = FlatBufferLimits(maximumTables: 4)
    #expect(try Buffer.decode(Buffer.of(chain(4), limits: limits), limits: limits) == chain(4))
    #expect(code { try Buffer.of(chain(5), limits: limits) } == .tooManyTables)
  }

  @Test("The builder refuses buffers larger than the limit") func size() throws {
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
      // Reading visits the shared string twice.
      if maximum >= size + 8 { #expect(result == nil) }
    }
  }

  @Test("The size limit never exceeds the format's maximum, however it is set") func formatSize() {
    var limits = FlatBufferLimits(maximumSize: .max)
    #expect(limits == FlatBufferLimits())
    limits.maximumSize = 1 << 31
    #expect(limits.maximumSize == Int(Int32.max))
    limits.maximumSize = 7
    #expect(limits.maximumSize == 7)
  }

  @Test("A layout traps on a union or a vector of unions without a slot for the kinds") func slotsOfUnions() async {
    _ = TableLayout.Field.vector("fits", 6, of: .union { UnionLayout("U", members: [:]) })
    await #expect(processExitsWith: .failure) {
      _ = TableLayout.Field.union("u", 4) { UnionLayout("U", members: [:]) }
    }
    await #expect(processExitsWith: .failure) {
      _ = TableLayout.Field.vector("u", 4, of: .union { UnionLayout("U", members: [:]) })
    }
  }

  @Test("A shared string counts against the size limit each time it is read") func sharedStrings() throws {
    var monster = Monster(name: "x")
    monster.tags = Array(repeating: String(repeating: "y", count: 1000), count: 100)
    let limits = FlatBufferLimits(maximumSize: 50_000)
    #expect(code { try Buffer.of(monster, limits: limits) } == .tooLarge)
    let bytes = try Buffer.of(monster)
    #expect(bytes.count < 2000)
    #expect(code { try Buffer.decode(Monster.self, bytes, limits: limits) } == .tooLarge)
  }

  @Test("The builder refuses a table larger than 65,535 bytes") func tableSize() throws {
    var builder = FlatBufferBuilder()
    let large = [UInt8](repeating: 1, count: 65_532)
    builder.startTable(slots: 1)
    large.withUnsafeBytes { builder.add(structure: $0, alignment: 4, at: 4) }
    let root = builder.endTable()
    var failure: FlatBufferError?
    do throws(FlatBufferError) { try builder.finish(root) } catch { failure = error }
    #expect(failure?.code == .tooLarge)
  }

  @Test("An array that is too long is refused, and a short one is filled with zeros") func arrays() throws {
    var monster = Monster(name: "x")
    monster.pos = Vec3(corners: [1, 2, 3, 4])
    #expect(code { try Buffer.of(monster) } == .arrayTooLong)
    monster.pos = nil
    monster.path = [Vec3(corners: [1, 2, 3, 4])]
    #expect(code { try Buffer.of(monster) } == .arrayTooLong)
    monster.path = [Vec3(corners: [1])]
    #expect(try Buffer.decode(Monster.self, Buffer.of(monster)).path == [Vec3(corners: [1, 0, 0])])
  }

  @Test("The builder keeps its first error until it is reset") func sticky() throws {
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

  @Test("The builder refuses an offset of another buffer that lies outside of its own") func foreign() throws {
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

  @Test("The builder refuses an identifier that doesn't have four bytes") func identifiers() {
    #expect(code { try Buffer.of(Weapon(), identifier: "ABC") } == .wrongIdentifier)
    #expect(code { try Buffer.of(Weapon(), identifier: "ABCDE") } == .wrongIdentifier)
  }
}
