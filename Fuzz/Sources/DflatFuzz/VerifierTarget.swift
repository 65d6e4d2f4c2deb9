import DflatBuffers

/// Small enough for thousands of inputs per second: a few bytes can refer to one table so often that reading everything
/// reaches the limits.
let limits = FlatBufferLimits(maximumTables: 1000, maximumSize: 1 << 20)

/// Tests arbitrary bytes: the verifier's result doesn't depend on their address, and reading them without the verifier
/// returns a value or throws an error.
func testVerifier(_ bytes: UnsafeRawBufferPointer) {
  let aligned = withHeapCopy(of: bytes, offset: 0, verify)
  let unaligned = withHeapCopy(of: bytes, offset: 1 + bytes.count % 7, verify)
  require(aligned == unaligned, "the verifier sees where the bytes are: \(aligned), \(unaligned)")

  withHeapCopy(of: bytes, offset: bytes.count % 8) { bytes in
    for sizePrefixed in [false, true] {
      _ = try? FlatBuffer.withUnverifiedRoot(in: bytes, sizePrefixed: sizePrefixed, limits: limits) { table in
        try table.value(Every.self)
      }
    }
    // Most of the time is spent here.
    _ = try? FlatBuffer.withUnverifiedRoot(in: bytes, sizePrefixed: bytes.count % 8 == 1, limits: limits) { table in
      readEverything(in: table, levels: 2, isThorough: bytes.count % 8 == 3)
    }
    _ = FlatBuffer.identifier(of: bytes)
  }
}

/// Returns the verifier's results for the bytes as each kind of root.
private func verify(_ bytes: UnsafeRawBufferPointer) -> [FlatBufferError?] {
  let verifier = FlatBufferVerifier(limits: limits)
  let layouts = [
    Every.flatBufferLayout, Fuzz.Node.flatBufferLayout, Fuzz.Vectors.flatBufferLayout, Fuzz.Ordered.flatBufferLayout,
  ]
  return layouts.map { layout in
    failure { () throws(FlatBufferError) in _ = try verifier.verify(root: layout, in: bytes) }
  }
    + [
      failure { () throws(FlatBufferError) in
        _ = try verifier.verify(root: Every.flatBufferLayout, in: bytes, sizePrefixed: true)
      },
      failure { () throws(FlatBufferError) in
        _ = try FlatBuffer.decode(Fuzz.Nested.self, from: bytes, limits: limits)
      },
    ]
}

private func failure(_ body: () throws(FlatBufferError) -> Void) -> FlatBufferError? {
  do throws(FlatBufferError) {
    try body()
    return nil
  } catch {
    return error
  }
}
