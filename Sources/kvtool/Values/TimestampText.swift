/// Converts between instants and ISO 8601 text in UTC (`2026-11-21T09:30:00Z`), to the same bits and back.
///
/// Foundation's `ISO8601FormatStyle` writes three digits of a second's fraction, and dates before 15 October 1582 in
/// the Julian calendar.
enum TimestampText {
  private static let secondsPerDay: Int64 = 86_400
  /// Days from 1 March of the year 0 to 1 January 2001 in the proleptic Gregorian calendar.
  private static let daysToReference: Int64 = 730_791

  /// Returns the text of an instant, given in seconds since 2001. Returns nil outside the years 0 to 9999, or if no
  /// text reads back to the same bits.
  static func string(_ seconds: Double) -> String? {
    guard seconds.magnitude < 3e11, seconds.sign == .plus || seconds != 0 else {
      return nil
    }
    let whole = seconds.rounded(.down)
    let fraction = fractionDigits(seconds - whole)
    let day = Int64(whole).flooredDivision(by: secondsPerDay)
    let (year, month, dayOfMonth) = civilDate(day + daysToReference)
    guard (0...9999).contains(year) else {
      return nil
    }
    let second = Int64(whole) - day * secondsPerDay
    let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
    let time = "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    let text = "\(date)T\(time)\(fraction)Z"
    return Self.seconds(text)?.bitPattern == seconds.bitPattern ? text : nil
  }

  /// Parses an instant and returns it in seconds since 2001, or nil if the text doesn't have this form.
  static func seconds(_ text: String) -> Double? {
    guard text.hasSuffix("Z"), let t = text.firstIndex(of: "T") else {
      return nil
    }
    // Parse the digits of date and time.
    let date = text[..<t].split(separator: "-", omittingEmptySubsequences: false)
    let timeAndFraction = text[text.index(after: t)...].dropLast().split(
      separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let time = timeAndFraction[0].split(separator: ":", omittingEmptySubsequences: false)
    guard date.count == 3, time.count == 3,
      let year = number(date[0], digits: 4, in: 0...9999), let month = number(date[1], digits: 2, in: 1...12),
      let day = number(date[2], digits: 2, in: 1...31), let hour = number(time[0], digits: 2, in: 0...23),
      let minute = number(time[1], digits: 2, in: 0...59), let second = number(time[2], digits: 2, in: 0...59)
    else {
      return nil
    }
    // Reject days that the month doesn't have.
    let days = dayNumber(year: year, month: month, day: day) - daysToReference
    guard civilDate(days + daysToReference) == (year, month, day) else {
      return nil
    }
    let whole = Double(days * secondsPerDay + hour * 3600 + minute * 60 + second)
    guard timeAndFraction.count == 2 else {
      return whole
    }
    // Add the fraction of a second.
    let digits = timeAndFraction[1]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Double("0." + digits).map { whole + $0 }
  }

  private static func fractionDigits(_ fraction: Double) -> String {
    guard fraction > 0 else {
      return ""
    }
    let nanoseconds = Int64((fraction * 1e9).rounded())
    var digits = padded(min(nanoseconds, 999_999_999), 9)
    while digits.hasSuffix("0") && digits.count > 1 {
      digits.removeLast()
    }
    return "." + digits
  }

  private static func padded(_ number: Int64, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  private static func number(_ text: Substring, digits: Int, in range: ClosedRange<Int64>) -> Int64? {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text),
      range.contains(number)
    else {
      return nil
    }
    return number
  }

  // Years start on 1 March, so that the leap day is the last day of its year. 400 years have 146,097 days.

  private static func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let era = marchYear.flooredDivision(by: 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
  }

  private static func civilDate(_ dayNumber: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let era = dayNumber.flooredDivision(by: 146_097)
    let dayOfEra = dayNumber - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}

extension Int64 {
  fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
