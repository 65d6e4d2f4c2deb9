/// Throws a finding unless the condition holds.
func require(_ condition: Bool, _ message: @autoclosure () -> String, case shrunk: @autoclosure () -> String = "")
  throws
{
  if !condition { throw Finding(message(), case: shrunk()) }
}
