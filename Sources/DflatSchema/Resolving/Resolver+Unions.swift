extension Resolver {
  mutating func resolveUnion(_ index: Int) {
    let (file, syntax) = unions[index]
    let header = syntax.header
    let what = "the union '\(header.name.text)'"
    let attributes = resolve(header.attributes, on: .union, of: what, in: file)
    schema.unions[index].declaration.attributes = attributes.values
    var members: [UnionDefinition.Member] = []
    var names = NameTable(.unionCase)
    // The names that a member with a namespace leaves to others, wherever these are.
    let plainNames = Set(syntax.members.filter { $0.jsonName == nil }.map(\.ownName) + ["NONE"])
    var jsonNames: [String: SourceLocation] = [:]
    var kinds: [Int128: String] = [:]
    var next: Int128 = 1
    for member in syntax.members {
      let jsonName = member.jsonName
      var name = NameSyntax(text: member.ownName, position: member.position)
      // Two types of one name are distinguished by their namespaces, as in JSON.
      if let jsonName, plainNames.contains(name.text) || names.contains(name.text) { name.text = jsonName }
      let attributes = resolve(member.attributes, on: .unionMember, of: "the member '\(name.text)'", in: file)
      var declaration = declaration(name, documentation: member.documentation, attributes: attributes, in: file)
      // The member can't have another type, but it may have a name of its own.
      let remedy = member.name == nil ? "give it a name of its own, as in 'Other: \(member.type.text)'" : nil
      let isRepeated = names.contains(name.text)
      declaration.swiftName = swiftName(of: name, member.attributes, in: &names, remedy: remedy, in: file)
      if let other = jsonNames.updateValue(declaration.location, forKey: jsonName ?? name.text), !isRepeated {
        report(
          in: file, at: name.position,
          "this member and the one at \(place(other, from: file)) are both '\(jsonName ?? name.text)' in JSON",
          advice: "give one of them a name of its own, as in 'Other: \(member.type.text)'")
      }
      if name.text == "NONE" {
        report(
          in: file, at: name.position, "every union already has a member 'NONE', which stands for no value",
          advice: "remove it, or give it another name")
        continue
      }
      // Determine the type and the kind. An invalid type doesn't free the kind for another member.
      let type = memberType(member, namespace: header.namespace, in: file)
      guard let kind = memberKind(member, next: next, taken: kinds, in: file) else { continue }
      kinds[kind] = name.text
      next = kind + 1
      guard let type else { continue }
      members.append(
        UnionDefinition.Member(
          name: name.text, type: type, kind: UInt8(kind), declaration: declaration,
          jsonName: jsonName == name.text ? nil : jsonName))
    }
    if syntax.members.isEmpty, !header.isDamaged {
      warn(
        in: file, at: header.name.position, "\(what) has no members, so its fields are always empty",
        advice: "give it at least one")
    }
    schema.unions[index].members = members
  }

  private mutating func memberKind(
    _ member: UnionMemberSyntax, next: Int128, taken: [Int128: String], in file: Int
  ) -> Int128? {
    let kind = member.number.map { $0.value ?? Int128.max } ?? next
    let position = member.number?.position ?? member.position
    guard (1...255).contains(kind) else {
      report(
        in: file, at: position,
        member.number == nil ? "a union can't have more than 255 members" : "a member's number must be from 1 to 255",
        advice: member.number == nil ? "put some of them into a union of their own" : "write another number")
      return nil
    }
    if let other = taken[kind] {
      report(
        in: file, at: position, "this member and '\(other)' both have the number \(kind)",
        advice: "give each member a number of its own")
      return nil
    }
    return kind
  }

  private mutating func memberType(
    _ member: UnionMemberSyntax, namespace: [String], in file: Int
  ) -> UnionDefinition.MemberType? {
    let path = member.type
    if path.text == "string" { return .string }
    if ScalarType(schemaName: path.text) != nil {
      report(
        in: file, at: path.position, "'\(path.text)' is not a table, struct or string, so a union can't contain it",
        advice: "put it into a table")
      return nil
    }
    switch find(path, from: namespace, in: file) {
    case .table(let index)?: return .table(index)
    case .structure(let index)?: return .structure(index)
    case .enumeration?, .union?:
      report(
        in: file, at: path.position, "'\(path.text)' is not a table, struct or string, so a union can't contain it",
        advice: "put it into a table")
      return nil
    case nil: return nil
    }
  }
}

extension UnionMemberSyntax {
  /// The name before the colon, or else the type's own name without its namespace.
  var ownName: String { name?.text ?? type.parts.last ?? "" }

  /// The name in flatc's JSON of a member without a name before a colon whose type has a namespace: the parts, joined by
  /// underscores.
  fileprivate var jsonName: String? { name == nil && type.parts.count > 1 ? type.parts.joined(separator: "_") : nil }
}
