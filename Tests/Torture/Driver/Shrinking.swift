/// Removes parts of a failing list as long as it still fails: large parts first, then small ones.
///
/// `fails` runs the case; it is called at most `mostTries` times.
func shrunk<Step>(_ steps: [Step], mostTries: Int = 500, while fails: ([Step]) -> Bool) -> [Step] {
  var steps = steps
  var size = max(1, steps.count / 2)
  var tries = 0
  while true {
    var start = 0
    var hasShrunk = false
    while start < steps.count, tries < mostTries {
      var shorter = steps
      shorter.removeSubrange(start..<min(start + size, steps.count))
      tries += 1
      if fails(shorter) {
        steps = shorter
        hasShrunk = true
      } else {
        start += size
      }
    }
    if tries >= mostTries || (size == 1 && !hasShrunk) { return steps }
    size = max(1, size / 2)
  }
}
