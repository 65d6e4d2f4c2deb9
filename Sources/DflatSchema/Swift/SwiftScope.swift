/// A position in the generated code, and the names of types there.
///
/// Swift looks up a type's name in the enclosing type, then in the extended namespace itself (not in the namespaces
/// around it), then in the module, then in the imported modules. A schema's type may therefore hide a namespace, or a
/// type of Swift's.
struct SwiftScope {
  let context: EmitterContext
  /// The namespace that the code extends; `[]` at the top level.
  let namespace: [String]
  /// The name of the type being emitted.
  let type: String
  /// The names of the type's properties or cases.
  private let members: Set<String>
  /// The aliases of types that members hide.
  private(set) var aliases: [Alias] = []
  /// The namespaces and types in which names are looked up, the innermost first.
  private var homes: [[String]]
  /// The names that have another meaning here.
  private var takenNames: Set<String> = []

  /// A private alias in the type for another type.
  struct Alias {
    let name: String
    let type: String
    fileprivate let id: TypeID
  }

  init(_ type: TypeID, in context: EmitterContext) {
    let path = context.schema.path(of: type)
    self.context = context
    namespace = Array(path.dropLast())
    self.type = path[path.count - 1]
    homes = [path, namespace, []]
    members = context.memberNames(of: type)
    for id in context.references(of: type)
    where visibleInExpressions(id) == nil && !aliases.contains(where: { $0.id == id }) {
      aliases.append(Alias(name: "Alias\(aliases.count + 1)", type: reference(id), id: id))
    }
  }

  /// Returns the scope in a root's builder and in its change request. Both have a type `Element`.
  func besideType() -> SwiftScope {
    var scope = self
    scope.homes = [namespace, []]
    scope.takenNames = ["Element"]
    scope.aliases = []
    return scope
  }

  /// Returns the scope in an extension of `Optional`, at the top level of a file.
  func inOptional() -> SwiftScope {
    var scope = self
    scope.homes = [[]]
    scope.takenNames = ["Wrapped"]
    scope.aliases = []
    return scope
  }

  /// The type being emitted, as a declaration spells it.
  var declaredName: String { ReservedNames.type(type) }

  /// Returns the name of a schema's type, with its namespace unless that is hidden here.
  func reference(_ type: TypeID) -> String { reference(context.schema.path(of: type)) }

  /// Returns the name of the type being emitted, or, with a suffix, of one generated with it: `PostBuilder`.
  func ownReference(_ suffix: String = "") -> String { reference(namespace + [type + suffix]) }

  private func reference(_ path: [String]) -> String {
    Self.joined(candidates(path).first { resolve($0) == path } ?? path[...])
  }

  /// Returns true if there is a name that refers to the schema's type here.
  func canName(_ type: TypeID) -> Bool { canName(context.schema.path(of: type)) }

  /// Returns true if there is a name for the type being emitted or, with a suffix, for one generated with it.
  func canNameOwn(_ suffix: String = "") -> Bool { canName(namespace + [type + suffix]) }

  private func canName(_ path: [String]) -> Bool { candidates(path).contains { resolve($0) == path } }

  /// Returns the shortest name of a schema's type that refers to it here.
  func shortReference(_ type: TypeID) -> String {
    let path = context.schema.path(of: type)
    return Self.joined(candidates(path).last { resolve($0) == path } ?? path[...])
  }

  /// Returns the name of a schema's type in an expression, where a property or a case of the same name would hide it.
  func expression(_ type: TypeID) -> String {
    visibleInExpressions(type) ?? aliases.first { $0.id == type }?.name ?? reference(type)
  }

  private func visibleInExpressions(_ type: TypeID) -> String? {
    let path = context.schema.path(of: type)
    return candidates(path).first { resolve($0) == path && !members.contains(ReservedNames.type($0[$0.startIndex])) }
      .map(Self.joined)
  }

  /// Returns the name of a type of Swift's standard library.
  func standard(_ name: String) -> String { isHidden(name) ? "Swift." + name : name }

  /// Returns the name of a type of DflatBuffers.
  func buffers(_ name: String) -> String { isHidden(name) ? "DflatBuffers." + name : name }

  /// Returns the name of a type of DflatEntities, or of DflatCore, which that module re-exports.
  func entities(_ name: String) -> String { isHidden(name) ? "DflatEntities." + name : name }

  func scalar(_ type: ScalarType) -> String { standard(Self.scalarNames[type]!) }

  /// Returns the possible names of a type, the longest first.
  private func candidates(_ path: [String]) -> [ArraySlice<String>] { path.indices.map { path[$0...] } }

  private func isHidden(_ name: String) -> Bool { takenNames.contains(name) || home(of: name) != nil }

  /// Returns the namespace or type in which Swift finds a name from here.
  private func home(of name: String) -> [String]? {
    takenNames.contains(name) ? nil : homes.first { context.contains(name, in: $0) }
  }

  private func resolve(_ path: ArraySlice<String>) -> [String]? {
    guard let first = path.first, let home = home(of: first) else { return nil }
    return home + path
  }

  private static func joined(_ path: ArraySlice<String>) -> String {
    path.map(ReservedNames.type).joined(separator: ".")
  }

  private static let scalarNames: [ScalarType: String] = [
    .bool: "Bool", .byte: "Int8", .ubyte: "UInt8", .short: "Int16", .ushort: "UInt16", .int: "Int32", .uint: "UInt32",
    .long: "Int64", .ulong: "UInt64", .float: "Float32", .double: "Double",
  ]
}
