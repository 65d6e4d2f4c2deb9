import DflatSupport
import Testing

/// These names are in every file: a change of one is a change of the file format.
@Suite struct StoredNamesTests {
  @Test("Columns of keys are numbered from 0") func keyColumns() {
    #expect(StoredNames.keyColumns(3) == ["__pk0", "__pk1", "__pk2"])
    #expect(StoredNames.keyColumn(12) == "__pk12")
  }

  @Test("A path consists of the places of its fields and the kinds of its members") func paths() {
    #expect(StoredNames.path([.field(4)]) == "f4")
    #expect(StoredNames.path([.field(26), .member(kind: 2), .field(4)]) == "f26__u2__f4")
    #expect(StoredNames.path([.field(8), .kind]) == "f8__type")
  }

  @Test("The names of an index consist of its table's name and its path") func indexes() {
    let table = StoredNames.indexTable(of: "post", path: "f4")
    #expect(table == "post__f4")
    #expect(StoredNames.index(on: table) == "index__post__f4")
  }
}
