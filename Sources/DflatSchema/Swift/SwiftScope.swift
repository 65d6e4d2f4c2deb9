/// A place in the generated code, and how types are called there.
///
/// Swift looks a type's name up in the type around it, then in the extended namespace itself (not in the namespaces around
/// that), then in the module, then in the imported modules; so a schema's type may hide a namespace, or a type of Swift's.
struct SwiftScope {
  let context: EmitterContext
  /// The namespace whose extension this is; `[]` at the top.
  let namespace: [String]
  /// The type that is being written.
  let type: String
  /// Its properties or cases.
  private let members: Set<String>
  /// For types that members hide.
  private(set) var aliases: [Alias] = []
  /// Where names are looked up, the innermost first.
  private var homes: [[String]]
  /// Names that mean something else here.
  private var takenNames: Set<String> = []

  /// A private name in the type for another type.
  struct Alias {
    let name: String
    let type: String
    fileprivate let id: TypeID
  }

  init(_ type: TypeID, in context: EmitterContext) {
    let path = EmitterContext.path(context.name(type))
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

  /// Beside a root: in its builder, and in its change request. Both have a type `Element`.
  func besideType() -> SwiftScope {
    var scope = self
    scope.homes = [namespace, []]
    scope.takenNames = ["Element"]
    scope.aliases = []
    return scope
  }

  /// In an extension of `Optional`, at the top of a file.
  func inOptional() -> SwiftScope {
    var scope = self
    scope.homes = [[]]
    scope.takenNames = ["Wrapped"]
    scope.aliases = []
    return scope
  }

  /// The type that is being written, as a declaration spells it.
  var declaredName: String { ReservedNames.type(type) }

  /// A type of the schema, with its namespace unless that is hidden here.
  func reference(_ type: TypeID) -> String { reference(EmitterContext.path(context.name(type))) }

  /// The type that is being written, or, with a suffix, one that goes with it: `PostBuilder`.
  func ownReference(_ suffix: String = "") -> String { reference(namespace + [type + suffix]) }

  private func reference(_ path: [String]) -> String {
    Self.joined(candidates(path).first { resolve($0) == path } ?? path[...])
  }

  /// Whether there is a name by which a type of the schema is found from here.
  func canName(_ type: TypeID) -> Bool { canName(EmitterContext.path(context.name(type))) }

  /// Whether there is one for the type that is being written, or one that goes with it.
  func canNameOwn(_ suffix: String = "") -> Bool { canName(namespace + [type + suffix]) }

  private func canName(_ path: [String]) -> Bool { candidates(path).contains { resolve($0) == path } }

  /// A type of the schema by the last part of its name, where that suffices.
  func shortReference(_ type: TypeID) -> String {
    let path = EmitterContext.path(context.name(type))
    return Self.joined(candidates(path).last { resolve($0) == path } ?? path[...])
  }

  /// A type of the schema in an expression, where a property or a case of the same name would be taken for it.
  func expression(_ type: TypeID) -> String {
    visibleInExpressions(type) ?? aliases.first { $0.id == type }?.name ?? reference(type)
  }

  private func visibleInExpressions(_ type: TypeID) -> String? {
    let path = EmitterContext.path(context.name(type))
    return candidates(path).first { resolve($0) == path && !members.contains(ReservedNames.type($0[$0.startIndex])) }
      .map(Self.joined)
  }

  /// A type of Swift's standard library.
  func standard(_ name: String) -> String { isHidden(name) ? "Swift." + name : name }

  /// A type of DflatBuffers.
  func buffers(_ name: String) -> String { isHidden(name) ? "DflatBuffers." + name : name }

  /// A type of DflatCore.
  func core(_ name: String) -> String { isHidden(name) ? "DflatCore." + name : name }

  func scalar(_ type: ScalarType) -> String { standard(Self.scalarNames[type]!) }

  /// The longest first.
  private func candidates(_ path: [String]) -> [ArraySlice<String>] { path.indices.map { path[$0...] } }

  private func isHidden(_ name: String) -> Bool { takenNames.contains(name) || home(of: name) != nil }

  /// Where a name is found from here, as Swift looks it up.
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
