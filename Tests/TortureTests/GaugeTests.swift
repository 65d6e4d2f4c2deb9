import Testing

@testable import torture

/// The soak machine's judgment of its measurements.
@Suite struct GaugeTests {
  private func gauge(_ values: [Int], limit: Int = .max) -> Gauge {
    var gauge = Gauge("heap", tolerance: 0.04, slack: 100, limit: limit)
    for value in values { gauge.note(value) }
    return gauge
  }

  @Test("A value that rises slowly is a finding once the run is long enough")
  func growth() {
    #expect(gauge((0..<600).map { 10_000 + $0 * 3 }).finding?.contains("grew from 11") == true)
    #expect(gauge((0..<10).map { 10_000 + $0 * 1_000 }).finding == nil)
  }

  @Test("Warm-up, noise and repeated peaks are not findings")
  func steady() {
    #expect(gauge((0..<600).map { $0 < 100 ? $0 * 100 : 10_000 }).finding == nil)
    #expect(gauge((0..<600).map { 10_000 + $0 % 50 * 10 }).finding == nil)
    #expect(gauge((0..<600).map { $0 % 100 == 0 ? 90_000 : 10_000 }).finding == nil)
  }

  @Test("A value above its limit is a finding at once")
  func limit() {
    #expect(gauge([5, 6, 5], limit: 5).finding == "The heap reached 6, and may reach 5.")
    #expect(gauge((0..<600).map { $0 / 200 }, limit: 5).finding == nil)
  }
}
