import DflatBuffers

/// A root with a field for each construct.
struct Monster: FlatBufferTableValue, Hashable {
  var name: String  // required
  var hp: Int16 = 100
  var mana: Int32?
  var color = Color.blue
  var mood: Color?
  var abilities: Abilities = []
  var isFriendly = true
  var speed: Double = 1.5
  var pos: Vec3?
  var home: Node?
  var equipped: Equipment?
  var inventory: [UInt8] = []
  var path: [Vec3] = []
  var tags: [String] = []
  var weapons: [Weapon] = []
  var bag: [Equipment] = []
  var colors: [Color] = []
  var flags: [Bool] = []
  var longs: [Int64] = []
  var nested: [UInt8] = []

  init(name: String) { self.name = name }

  static let flatBufferLayout: TableLayout = TableLayout(
    "Monster", identifier: "MONS",
    fields: [
      .string("name", 4, required: true),
      .scalar("hp", 6, Int16.self),
      .scalar("mana", 8, Int32.self),
      .enumeration("color", 10, Color.self),
      .enumeration("mood", 12, Color.self),
      .enumeration("abilities", 14, Abilities.self),
      .scalar("isFriendly", 16, Bool.self),
      .scalar("speed", 18, Double.self),
      .structure("pos", 20, Vec3.flatBufferLayout),
      .table("home", 22) { Node.flatBufferLayout },
      .union("equipped", 26) { Equipment.flatBufferLayout },
      .vector("inventory", 28, of: .scalar(UInt8.self)),
      .vector("path", 30, of: .structure(Vec3.flatBufferLayout)),
      .vector("tags", 32, of: .string),
      .vector("weapons", 34, of: .table { Weapon.flatBufferLayout }),
      .vector("bag", 38, of: .union { Equipment.flatBufferLayout }),
      .vector("colors", 40, of: .enumeration(Color.self)),
      .vector("flags", 42, of: .scalar(Bool.self)),
      .vector("longs", 44, of: .scalar(Int64.self)),
      .nested("nested", 46) { Weapon.flatBufferLayout },
    ])

  init(_ table: FlatBufferTable) throws(FlatBufferError) {
    name = try table.required(table.string(4), 4)
    hp = try table.scalar(6, default: 100)
    mana = try table.scalar(8)
    color = try table.enumeration(10, default: .blue)
    mood = try table.enumeration(12)
    abilities = try table.enumeration(14, default: [])
    isFriendly = try table.scalar(16, default: true)
    speed = try table.scalar(18, default: 1.5)
    pos = try table.structure(20)
    home = try table.table(22)
    equipped = try table.union(26)
    inventory = try table.scalars(28) ?? []
    path = try table.structures(30) ?? []
    tags = try table.strings(32) ?? []
    weapons = try table.tables(34) ?? []
    bag = try table.unions(38) ?? []
    colors = try table.enumerations(40) ?? []
    flags = try table.scalars(42) ?? []
    longs = try table.scalars(44) ?? []
    nested = try table.scalars(46) ?? []
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let name = builder.create(name)
    let home = builder.create(home)
    let equippedValue = builder.create(equipped)
    let inventory = builder.create(nonEmpty: inventory)
    let path = builder.create(nonEmpty: path)
    let tags = builder.create(nonEmpty: tags, shared: true)
    let weapons = builder.create(nonEmpty: weapons)
    let bagKinds = builder.create(nonEmptyKinds: bag)
    let bagValues = builder.create(nonEmpty: bag)
    let colors = builder.create(nonEmpty: colors)
    let flags = builder.create(nonEmpty: flags)
    let longs = builder.create(nonEmpty: longs)
    let nested = builder.create(nonEmptyNested: nested, alignment: 8, of: Weapon.flatBufferLayout)
    builder.startTable(slots: 22)
    builder.add(speed, at: 18, default: 1.5)
    builder.add(nested, at: 46)
    builder.add(longs, at: 44)
    builder.add(flags, at: 42)
    builder.add(colors, at: 40)
    builder.add(bagValues, at: 38)
    builder.add(bagKinds, at: 36)
    builder.add(weapons, at: 34)
    builder.add(tags, at: 32)
    builder.add(path, at: 30)
    builder.add(inventory, at: 28)
    builder.add(equippedValue, at: 26)
    builder.add(home, at: 22)
    builder.add(pos, at: 20)
    builder.add(mana, at: 8)
    builder.add(name, at: 4)
    builder.add(abilities, at: 14, default: [])
    builder.add(hp, at: 6, default: 100)
    builder.add(equipped?.flatBufferKind ?? 0, at: 24, default: 0)
    builder.add(isFriendly, at: 16, default: true)
    builder.add(mood, at: 12)
    builder.add(color, at: 10, default: .blue)
    return builder.endTable()
  }
}

extension Monster {
  /// Reads a monster like `FlatBuffer.decode`, with names in errors, but without verification.
  init(reading table: FlatBufferTable) throws(FlatBufferError) {
    self = try table.value()
  }

  /// A monster with a value for each field, and with equal strings and vtables.
  static var rich: Monster {
    var monster = Monster(name: "Ork, der Größte 🐲")
    monster.hp = -7
    monster.mana = 0
    monster.color = .green
    monster.mood = .red
    monster.abilities = [.fly, Abilities(rawValue: 0x8000)]
    monster.isFriendly = false
    monster.speed = .infinity
    monster.pos = Vec3(x: 1, y: 2, z: 3, color: .blue, corners: [1, -2, 3])
    monster.home = Node(value: 1, next: Node(value: 2, next: Node(value: 3)))
    monster.equipped = .node(Node(value: 9, next: Node(value: 8)))
    monster.inventory = [0, 1, 2, 255]
    monster.path = [Vec3(x: 1), Vec3(y: 2, color: .green)]
    monster.tags = ["a", "bc", "a", ""]
    monster.weapons = [Weapon(name: "Axt", damage: 5), Weapon(), Weapon(name: "Speer", damage: 6)]
    monster.bag = [
      .weapon(Weapon(name: "Bogen", damage: 1)), .place(Vec3(z: 4)), .name("Seil"), .node(Node(value: 4)),
    ]
    monster.colors = [.blue, .red, .green]
    monster.flags = [true, false, true]
    monster.longs = [.min, -1, .max]
    monster.nested = (try? Buffer.of(Weapon(name: "Dolch", damage: 2))) ?? []
    return monster
  }
}
