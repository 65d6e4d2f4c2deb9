/// The schema by which the target `json` parses text as FlatBuffers.
enum JSONSchema {
  static let text = """
    attribute "v";
    attribute "primary";
    enum Color : byte { Red, Green, Blue = 5 }
    enum Flags : ushort (bit_flags) { CanRead, CanWrite, Last = 15 }
    struct Spot { x: float; y: short; kinds: [ubyte:2]; }
    table Node { label: string (required); next: Node; }
    union Body { Node, Spot, Name: string }
    table Every (v: "1.0") {
      id: long (primary);
      ok: bool = true;
      count: ubyte = null;
      ratio: float = nan;
      big: ulong;
      amount: double;
      color: Color = Blue;
      flags: Flags;
      title: string;
      spot: Spot;
      node: Node;
      body: Body;
      bodies: [Body];
      numbers: [short];
      colors: [Color];
      names: [string];
      spots: [Spot];
      nodes: [Node];
      buffer: [ubyte] (nested_flatbuffer: "Node");
    }
    root_type Every;
    """
}
