import DflatBuffers

// Written by hand in the form of the compiler's output: a type for each construct of the schema language.

enum Color: Int8, FlatBufferEnum {
  case red = 0
  case green = 1
  case blue = 2

  static var flatBufferDefault: Color { .red }
}

struct Abilities: OptionSet, FlatBufferEnum {
  let rawValue: UInt16

  static let fly = Abilities(rawValue: 1)
  static let swim = Abilities(rawValue: 2)
  static var flatBufferDefault: Abilities { [] }
}

struct Vec3: FlatBufferStructure, Hashable {
  var x: Float = 0
  var y: Float = 0
  var z: Double = 0
  var color = Color.red
  var corners: [Int16] = [0, 0, 0]

  static let flatBufferLayout: StructLayout = StructLayout("Vec3", size: 24, alignment: 8, arrays: 1)

  init(x: Float = 0, y: Float = 0, z: Double = 0, color: Color = .red, corners: [Int16] = [0, 0, 0]) {
    self.x = x
    self.y = y
    self.z = z
    self.color = color
    self.corners = corners
  }

  init(_ structure: FlatBufferStruct) throws(FlatBufferError) {
    x = try structure.scalar(0)
    y = try structure.scalar(4)
    z = try structure.scalar(8)
    color = try structure.enumeration(16)
    corners = try structure.array(18, count: 3)
  }

  func write(to writer: inout FlatBufferStructWriter) {
    writer.write(x, at: 0)
    writer.write(y, at: 4)
    writer.write(z, at: 8)
    writer.write(color, at: 16)
    writer.write(corners, count: 3, at: 18)
  }
}

struct Box: FlatBufferStructure, Hashable {
  var from: Vec3
  var to: Vec3

  static let flatBufferLayout: StructLayout = StructLayout("Box", size: 48, alignment: 8, arrays: 2)

  init(from: Vec3, to: Vec3) {
    self.from = from
    self.to = to
  }

  init(_ structure: FlatBufferStruct) throws(FlatBufferError) {
    from = try structure.structure(0)
    to = try structure.structure(24)
  }

  func write(to writer: inout FlatBufferStructWriter) {
    writer.write(from, at: 0)
    writer.write(to, at: 24)
  }
}

struct Weapon: FlatBufferTableValue, Hashable {
  var name: String?
  var damage: Int16 = 0

  static let flatBufferLayout: TableLayout = TableLayout(
    "Weapon", fields: [.string("name", 4), .scalar("damage", 6, Int16.self)])

  init(name: String? = nil, damage: Int16 = 0) {
    self.name = name
    self.damage = damage
  }

  init(_ table: FlatBufferTable) throws(FlatBufferError) {
    name = try table.string(4)
    damage = try table.scalar(6, default: 0)
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let name = builder.create(name)
    builder.startTable(slots: 2)
    builder.add(name, at: 4)
    builder.add(damage, at: 6, default: 0)
    return builder.endTable()
  }
}

/// A table that contains itself.
struct Node: FlatBufferTableValue, Hashable {
  var value: Int32 = 0
  @Indirect var next: Node?

  static let flatBufferLayout: TableLayout = TableLayout(
    "Node",
    fields: [
      .scalar("value", 4, Int32.self),
      .table("next", 6) { Node.flatBufferLayout },
    ])

  init(value: Int32 = 0, next: Node? = nil) {
    self.value = value
    self.next = next
  }

  init(_ table: FlatBufferTable) throws(FlatBufferError) {
    value = try table.scalar(4, default: 0)
    next = try table.table(6)
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let next = builder.create(next)
    builder.startTable(slots: 2)
    builder.add(next, at: 6)
    builder.add(value, at: 4, default: 0)
    return builder.endTable()
  }
}

indirect enum Equipment: FlatBufferUnion, Hashable {
  case weapon(Weapon)
  case place(Vec3)
  case name(String)
  case node(Node)

  static let flatBufferLayout: UnionLayout = UnionLayout(
    "Equipment",
    members: [
      1: .table { Weapon.flatBufferLayout },
      2: .structure(Vec3.flatBufferLayout),
      3: .string,
      4: .table { Node.flatBufferLayout },
    ])

  init?(kind: UInt8, _ member: FlatBufferUnionMember) throws(FlatBufferError) {
    switch kind {
    case 1: self = .weapon(try member.table())
    case 2: self = .place(try member.structure())
    case 3: self = .name(try member.string())
    case 4: self = .node(try member.table())
    default: return nil
    }
  }

  var flatBufferKind: UInt8 {
    switch self {
    case .weapon: 1
    case .place: 2
    case .name: 3
    case .node: 4
    }
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    switch self {
    case .weapon(let value): builder.create(value)
    case .place(let value): builder.create(value)
    case .name(let value): builder.create(value)
    case .node(let value): builder.create(value)
    }
  }
}
