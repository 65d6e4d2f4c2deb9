import DflatSupport

/// The functions that flatc supports in default values.
enum MathFunction: String {
  case degrees = "deg"
  case radians = "rad"
  case cosine = "cos"
  case sine = "sin"
  case tangent = "tan"
  case arcCosine = "acos"
  case arcSine = "asin"
  case arcTangent = "atan"

  func callAsFunction(_ value: Double) -> Double {
    switch self {
    case .degrees: value / .pi * 180
    case .radians: value / 180 * .pi
    case .cosine: cos(value)
    case .sine: sin(value)
    case .tangent: tan(value)
    case .arcCosine: acos(value)
    case .arcSine: asin(value)
    case .arcTangent: atan(value)
    }
  }
}
