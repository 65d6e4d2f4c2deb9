package import Dispatch

/// Where short delayed work begins. A queue of its own, because the system's may have all their threads blocked by others.
package enum TimerQueue {
  package static let shared = DispatchQueue(label: "dflatkv.timers")
}
