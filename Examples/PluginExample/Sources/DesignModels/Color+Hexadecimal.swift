extension Design.Color {
  /// As in a style sheet.
  public var hexadecimal: String {
    switch self {
    case .red: "#f00"
    case .green: "#0f0"
    case .blue: "#00f"
    }
  }
}
