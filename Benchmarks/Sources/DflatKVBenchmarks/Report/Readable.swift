import Foundation

/// Numbers as people read them.
enum Readable {
  static func grouped(_ number: Int) -> String {
    let digits = Array(String(number))
    return digits.indices.reduce(into: "") { text, index in
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digits[index])
    }
  }

  static func duration(_ nanoseconds: Int) -> String {
    switch nanoseconds {
    case 10_000_000...: "\(nanoseconds / 1_000_000) ms"
    case 1_000_000...: String(format: "%.1f ms", Double(nanoseconds) / 1e6)
    case 10_000...: "\(nanoseconds / 1_000) µs"
    default: String(format: "%.1f µs", Double(nanoseconds) / 1e3)
    }
  }

  static func size(_ bytes: Int) -> String {
    bytes >= 10_000_000 ? "\(grouped(bytes / 1_000_000)) MB" : "\(grouped(bytes / 1_000)) kB"
  }
}
