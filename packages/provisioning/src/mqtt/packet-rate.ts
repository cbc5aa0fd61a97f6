/** All clients of a sandbox together may send this many short control packets per interval: 2,000 a second. */
const PACKETS = 40
const INTERVAL_MS = 20
/** A packet with a list of topic filters counts by its length: each 16 bytes count as another packet. */
const BYTES_PER_PACKET = 16

/**
 * Limits pings, subscriptions and acknowledgements of one sandbox. The broker handles them without storing anything and
 * without waiting for the stack, so without a limit they would take the CPU time that other sandboxes need. Packets
 * above the limit wait, and are admitted in order of arrival.
 */
export function createPacketRate() {
  let left = PACKETS
  let isTimed = false
  let waiting: (() => void)[] = []

  function renewSoon(): void {
    if (isTimed) return
    isTimed = true
    setTimeout(renew, INTERVAL_MS).unref()
  }

  function renew(): void {
    isTimed = false
    left = Math.min(PACKETS, left + PACKETS)
    // The cost of a long packet is spread over several intervals.
    if (left < PACKETS) renewSoon()
    const before = waiting
    waiting = []
    while (left > 0 && before.length > 0) before.shift()!()
    waiting.unshift(...before)
  }

  return {
    /** Counts a packet. Returns false if the packet has to wait. Then `wake` is called once, for another try. */
    take(bytes: number, wake: () => void): boolean {
      renewSoon()
      if (left <= 0) {
        waiting.push(wake)
        return false
      }
      left -= 1 + Math.floor(bytes / BYTES_PER_PACKET)
      return true
    },
  }
}

export type PacketRate = ReturnType<typeof createPacketRate>
