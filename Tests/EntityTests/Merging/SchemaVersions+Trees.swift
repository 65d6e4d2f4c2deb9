import Testing

extension SchemaVersions {
  /// Two versions of a type with tables, unions and vectors of both, at several depths.
  static func trees() throws -> SchemaVersions { try SchemaVersions(olderTree, newerTree) }

  private static let olderTree = """
    table Leaf { a: int; }
    table Branch { leaf: Leaf; name: string; }
    union Any { Leaf, Branch }
    table Tree { id: int; branch: Branch; any: Any; leaves: [Leaf]; anys: [Any]; }
    root_type Tree;
    """
  private static let newerTree = """
    struct Spot { x: int; y: int; }
    table Leaf { a: int; b: string; }
    table Branch { leaf: Leaf; name: string; extra: [int]; }
    union Any { Leaf, Branch, Name: string, Spot, Other: Leaf }
    table Tree {
      id: int; branch: Branch; any: Any; leaves: [Leaf]; anys: [Any];
      more: [string]; last: Any; inner: Branch; rest: [Any]; spots: [Spot];
    }
    root_type Tree;
    """
}
