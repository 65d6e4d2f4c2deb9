/// What generated enums are, and queries compare: values with an order.
public protocol DflatFriendlyValue: Comparable, Hashable, Sendable {}
