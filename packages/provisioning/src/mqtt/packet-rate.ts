/** Packets beside messages that a sandbox's clients may send in a while: 2,000 a second, when they are short. */
const PACKETS = 40
const WHILE_MS = 20
/** A list of filters counts by its length: each so many bytes as a packet more. */
const BYTES_OF_ONE = 16

/**
 * Signs of life, subscriptions and acknowledgements of one sandbox: they store nothing and wait for nothing, so at full
 * speed they take the time of everyone else. Those who have to wait go on in their order.
 */
export function createPacketRate() {
  let left = PACKETS
  let isTimed = false
  let waiting: (() => void)[] = []

  function renewSoon(): void {
    if (isTimed) return
    isTimed = true
    setTimeout(renew, WHILE_MS).unref()
  }

  function renew(): void {
    isTimed = false
    left = Math.min(PACKETS, left + PACKETS)
    // A long packet is paid off first.
    if (left < PACKETS) renewSoon()
    const before = waiting
    waiting = []
    while (left > 0 && before.length > 0) before.shift()!()
    waiting.unshift(...before)
  }

  return {
    /** False when the packet has to wait: then `wake` is called once, later. */
    take(bytes: number, wake: () => void): boolean {
      renewSoon()
      if (left <= 0) {
        waiting.push(wake)
        return false
      }
      left -= 1 + Math.floor(bytes / BYTES_OF_ONE)
      return true
    },
  }
}

export type PacketRate = ReturnType<typeof createPacketRate>
