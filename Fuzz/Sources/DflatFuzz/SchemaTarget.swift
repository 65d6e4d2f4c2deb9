import DflatSchema

/// Tests arbitrary text as a schema `a.fbs`. A line `%%` starts `b.fbs`, and so on, for includes.
func testSchema(_ bytes: UnsafeRawBufferPointer) {
  let files = schemaFiles(in: Array(bytes))
  let compiler = SchemaCompiler(source: MemorySource(bytes: files))
  do throws(SchemaErrors) {
    let schema = try compiler.compile("a.fbs", includePaths: ["include"])
    let paths = schema.files.map(\.path)
    let output = SwiftEmitter().files(for: schema, of: paths)
    require(output.count == paths.count, "\(output.count) Swift files for \(paths.count) schemas")
    checkPrinting(of: schema)
    checkText(of: schema)
    checkLocks(of: schema)
    let problems = SchemaEvolution.problems(from: schema, to: schema)
    require(problems.isEmpty, "it may not follow itself: \(problems)")
  } catch {
    require(!error.diagnostics.isEmpty, "an error without a diagnostic")
    // A lone \r also ends a line.
    let lines = files.mapValues { text in 1 + text.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } }
    for diagnostic in error.diagnostics { check(diagnostic, in: files, lines) }
  }
}

/// Checks that the canonical text of the root is a schema with the same text, and with no difference to this one.
private func checkText(of schema: Schema) {
  guard let root = schema.files.last?.rootTable, let text = SchemaText.of(table: root, in: schema) else { return }
  do throws(SchemaErrors) {
    let again = try SchemaText.schema(of: text)
    let rootAgain = again.files.last?.rootTable
    require(rootAgain.flatMap { SchemaText.of(table: $0, in: again) } == text, "another text of \(text)")
    let problems =
      SchemaEvolution.problems(from: schema, to: again) + SchemaEvolution.problems(from: again, to: schema)
    require(problems.isEmpty, "its text differs from it: \(problems)")
  } catch {
    fatalError("its text is no schema: \(error)\n\(text)")
  }
}

/// Checks that the lock of each file is also that of its own schema, which has no difference to the file.
private func checkLocks(of schema: Schema) {
  for file in schema.files.indices {
    guard let text = try? SchemaLock.text(of: file, in: schema) else { continue }
    do throws(SchemaErrors) {
      let locked = try SchemaLock.schema(of: Array(text.utf8), at: "a.fbs.lock")
      let again = try SchemaLock.text(of: 0, in: locked)
      require(again == text, "another lock than \(text)")
      let files = [SchemaLock.LockedFile(file: file, path: "a.fbs.lock", schema: locked)]
      let problems = SchemaLock.problems(of: files, in: schema)
      require(problems.isEmpty, "its lock differs from it: \(problems)")
    } catch {
      fatalError("its lock can't be read: \(error)\n\(text)")
    }
  }
}

/// Checks that a diagnostic names an existing location, on a single line.
private func check(_ diagnostic: Diagnostic, in files: [String: [UInt8]], _ lines: [String: Int]) {
  let location = diagnostic.location
  guard let text = files[location.file], let lines = lines[location.file] else {
    fatalError("no such file: \(diagnostic)")
  }
  require((1...lines).contains(location.line), "no such line: \(diagnostic)")
  require((1...text.count + 1).contains(location.column), "no such column: \(diagnostic)")
  require(!diagnostic.message.isEmpty && !diagnostic.advice.isEmpty, "nothing said: \(diagnostic)")
  require(!diagnostic.description.utf8.contains(UInt8(ascii: "\n")), "more than a line: \(diagnostic)")
}

private func schemaFiles(in bytes: [UInt8]) -> [String: [UInt8]] {
  var files: [String: [UInt8]] = [:]
  var name = UInt8(ascii: "a")
  var lines: [UInt8] = []
  for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
    if line.elementsEqual("%%".utf8), name < UInt8(ascii: "z") {
      files["\(Character(UnicodeScalar(name))).fbs"] = lines
      name += 1
      lines = []
    } else {
      lines += line
      lines.append(UInt8(ascii: "\n"))
    }
  }
  // The last line has no line break.
  files["\(Character(UnicodeScalar(name))).fbs"] = Array(lines.dropLast())
  return files
}
