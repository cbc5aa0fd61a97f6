import type { Socket } from 'node:net'
import { createReadings, MAX_UNREAD_BYTES } from '@storey/kit/unread'

/** How much a channel may send to each of its sockets while most clients have not read what was sent earlier. */
export interface SendBudget {
  /**
   * The number of bytes that may be sent to each socket now. All bytes sent since the last measurement count as unread.
   */
  available(): number
  spend(bytes: number): void
  measure(): Promise<void>
  /** Ignores the bytes that are unread now, until they are read. */
  ignoreUnread(): void
}

/**
 * The sockets share a budget: half of MAX_UNREAD_BYTES, the limit above which the connections of the slowest clients
 * are reset. Events that do not fit wait in the channel, as one copy for all clients: in the send queues of the kernel
 * there would be a copy for each client. The budget is reduced by the unread bytes of the median client, so that a few
 * slow clients do not delay the others.
 */
export function createSendBudget(
  sockets: ReadonlySet<Socket>,
  maxBytes = MAX_UNREAD_BYTES / 2,
  measure = createReadings(() => sockets),
): SendBudget {
  let unread = 0
  let ignored = 0
  let spent = 0
  let measuring: Promise<void> | undefined
  const share = () => maxBytes / Math.max(1, sockets.size)
  const available = () => share() + ignored - unread

  async function update(): Promise<void> {
    const spentBefore = spent
    try {
      const readings = await measure()
      const all = Array.from(sockets, (socket) => readings.of(socket).unread).sort((a, b) => a - b)
      unread = (all[all.length >> 1] ?? 0) + spent - spentBefore
      ignored = Math.min(ignored, unread)
    } finally {
      measuring = undefined
    }
  }

  function measureOnce(): Promise<void> {
    measuring ??= update()
    return measuring
  }

  return {
    available,
    spend(bytes) {
      unread += bytes
      spent += bytes
      // The measurement starts early, so that events seldom wait for its result.
      if (available() < share() / 2) void measureOnce()
    },
    measure: measureOnce,
    ignoreUnread() {
      ignored = unread
    },
  }
}
