/// Carries a `sending` value to the code that uses it, once.
struct UncheckedTransfer<Value>: @unchecked Sendable {  // the caller gave the value away, and only the receiver uses it
  let value: Value

  init(_ value: sending Value) { self.value = value }
}
