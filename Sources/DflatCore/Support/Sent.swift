/// Carries a value that was `sending` to where it is used, once.
struct Sent<Value>: @unchecked Sendable {  // the caller gave the value away; only its receiver touches it
  let value: Value

  init(_ value: sending Value) { self.value = value }
}
