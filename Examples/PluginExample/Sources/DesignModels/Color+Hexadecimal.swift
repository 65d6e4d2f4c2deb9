extension Design.Color {
  /// The color in the notation of a style sheet.
  public var hexadecimal: String {
    switch self {
    case .red: "#f00"
    case .green: "#0f0"
    case .blue: "#00f"
    }
  }
}
