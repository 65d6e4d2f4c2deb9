import DflatBuffers
import DflatCore

typealias Every = Fuzz.Every

extension Every {
  /// Returns a value with most of its fields set. The seed determines the value.
  static func random(seed: UInt64) -> Every {
    var source = ValueSource(random: SplitMix64(state: seed))
    return source.every(levels: 2)
  }

  /// Returns a value with many small elements of one kind, followed by a large one.
  static func crowded(seed: UInt64) -> Every {
    var source = ValueSource(random: SplitMix64(state: seed))
    var vectors = Fuzz.Vectors(s: [.one])
    let count = Int.random(in: 20...180, using: &source.random)
    let long = String(repeating: "long", count: Int.random(in: 20...400, using: &source.random))
    var others: [Every] = []
    func several(_ vectors: Fuzz.Vectors) -> [Every] {
      (0..<count / 4).map { _ in Every(id: 1, key: "", title: "") }
        + [Every(id: 1, key: "", vectors: vectors, title: "")]
    }
    switch Int.random(in: 0..<5, using: &source.random) {
    case 0: vectors.n = [String](repeating: "", count: count) + [long]
    case 1: vectors.p = (0..<count / 3).map { _ in Fuzz.Node(label: "") } + [Fuzz.Node(label: long)]
    case 2: vectors.q = (0..<4 * count).map { _ in .name("") } + [.node(Fuzz.Node(label: long))]
    case 3: others = several(Fuzz.Vectors(o: (0..<count / 10).map { _ in source.nested() }, s: [.one]))
    default: others = several(source.oneOfEach())
    }
    return Every(id: 1, key: "", vectors: vectors, title: "", others: others)
  }
}

/// Generates values of the types of every.fbs.
struct ValueSource {
  var random: SplitMix64

  mutating func bool() -> Bool { Bool.random(using: &random) }
  mutating func int<T: FixedWidthInteger & UnsignedInteger>() -> T { T(truncatingIfNeeded: random.next()) }
  mutating func int<T: FixedWidthInteger & SignedInteger>() -> T { T(truncatingIfNeeded: random.next()) }
  mutating func float() -> Float {
    [0, -0.0, 1.5, .infinity, .nan, Float(bitPattern: int())].randomElement(using: &random)!
  }
  mutating func double() -> Double {
    [0, 2.5, -.infinity, .nan, Double(bitPattern: int())].randomElement(using: &random)!
  }
  mutating func color() -> Fuzz.Shared.Color { Fuzz.Shared.Color.allCases.randomElement(using: &random)! }
  mutating func wide() -> Fuzz.Wide { bool() ? .one : .max }
  mutating func flags() -> Fuzz.Flags { Fuzz.Flags(rawValue: int()) }

  mutating func string() -> String { ["", "a", "title", "naïve", "日本", "🦆🦆", "a\0b"].randomElement(using: &random)! }

  mutating func maybe<T>(_ body: (inout ValueSource) -> T) -> T? { bool() ? body(&self) : nil }

  mutating func array<T>(_ body: (inout ValueSource) -> T) -> [T] {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in body(&self) }
  }

  mutating func inner() -> Fuzz.Inner { Fuzz.Inner(a: int(), b: int()) }

  mutating func nested() -> Fuzz.Nested {
    Fuzz.Nested(
      inner: inner(), flags: flags(), color: color(), numbers: [int(), int(), int()], inners: [inner(), inner()],
      ok: bool(), ratio: double())
  }

  /// Returns vectors of one element each.
  mutating func oneOfEach() -> Fuzz.Vectors {
    Fuzz.Vectors(
      a: [bool()], b: [int()], c: [int()], d: [int()], e: [int()], f: [int()], g: [int()], h: [int()], i: [int()],
      j: [float()], k: [double()], l: [color()], m: [flags()], n: [""], o: [nested()], p: [Fuzz.Node(label: "")],
      q: [.name("")], r: [int()], s: [wide()])
  }

  mutating func leaf() -> Fuzz.Shared.Leaf { Fuzz.Shared.Leaf(name: maybe { $0.string() }, value: int()) }

  mutating func content(levels: Int) -> Fuzz.Content {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .leaf(leaf())
    case 1: .vec(Fuzz.Shared.Vec3(x: float(), y: float(), z: float()))
    case 2: .name(string())
    case 3: levels > 0 ? .node(node(levels: levels - 1)) : .name(string())
    case 4: .other(leaf())
    default: .gone(Fuzz.Gone())
    }
  }

  mutating func node(levels: Int) -> Fuzz.Node {
    guard levels > 0 else { return Fuzz.Node(label: string()) }
    return Fuzz.Node(
      label: string(), next: maybe { $0.node(levels: levels - 1) }, children: array { $0.node(levels: levels - 1) },
      content: maybe { $0.content(levels: levels - 1) })
  }

  mutating func every(levels: Int) -> Every {
    Every(
      id: int(), key: string(), scalars: maybe { $0.scalars() }, optionals: maybe { $0.optionals() },
      vectors: maybe { $0.vectors() }, ordered: maybe { $0.ordered() }, inner: maybe { $0.inner() },
      nested: maybe { $0.nested() }, title: string(), node: maybe { $0.node(levels: levels) },
      content: maybe { $0.content(levels: levels) }, empty: maybe { _ in Fuzz.Empty() },
      buffer: maybe { Array($0.node(levels: 1).toData()) },
      others: levels > 0 && bool() ? [every(levels: 0)] : [])
  }
}

extension ValueSource {
  mutating func scalars() -> Fuzz.Scalars {
    Fuzz.Scalars(
      a: bool(), b: int(), c: int(), d: int(), e: int(), f: int(), g: int(), h: int(), i: int(), j: float(),
      k: double(),
      l: color(), m: wide(), n: flags())
  }

  mutating func optionals() -> Fuzz.Optionals {
    Fuzz.Optionals(
      a: maybe { $0.bool() }, b: maybe { $0.int() }, c: maybe { $0.int() }, d: maybe { $0.int() },
      e: maybe { $0.int() },
      f: maybe { $0.int() }, g: maybe { $0.int() }, h: maybe { $0.int() }, i: maybe { $0.int() },
      j: maybe { $0.float() },
      k: maybe { $0.double() }, l: maybe { $0.color() }, m: maybe { $0.flags() })
  }

  mutating func vectors() -> Fuzz.Vectors {
    var vectors = Fuzz.Vectors(s: array { $0.wide() })
    vectors.a = array { $0.bool() }
    vectors.b = array { $0.int() }
    vectors.c = array { $0.int() }
    vectors.d = array { $0.int() }
    vectors.e = array { $0.int() }
    vectors.f = array { $0.int() }
    vectors.g = array { $0.int() }
    vectors.h = array { $0.int() }
    vectors.i = array { $0.int() }
    vectors.j = array { $0.float() }
    vectors.k = array { $0.double() }
    vectors.l = array { $0.color() }
    vectors.m = array { $0.flags() }
    vectors.n = array { $0.string() }
    vectors.o = array { $0.nested() }
    vectors.p = array { $0.node(levels: 1) }
    vectors.q = array { $0.content(levels: 1) }
    vectors.r = array { $0.int() }
    return vectors
  }

  mutating func ordered() -> Fuzz.Ordered {
    Fuzz.Ordered(a: int(), b: double(), c: maybe { $0.string() }, d: content(levels: 1), e: nested(), f: leaf())
  }
}
