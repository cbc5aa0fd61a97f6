import type { Socket } from 'node:net'
import { createReadings, MAX_UNREAD_BYTES } from '@storey/kit/unread'

/** How much a channel may send to each of its sockets before most clients have read what was sent before. */
export interface SendBudget {
  /** The bytes for each socket. The estimate counts everything since the last measurement as unread. */
  room(): number
  spend(bytes: number): void
  measure(): Promise<void>
  /** Ignores what is unread now, until it is read. */
  ignoreUnread(): void
}

/**
 * The budget is half of the unread bytes at which the slowest clients are reset. What does not fit waits
 * once in the channel, and not for each client in the kernel. The median client decides, so that slow clients do not
 * delay the others.
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
  const room = () => share() + ignored - unread

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
    room,
    spend(bytes) {
      unread += bytes
      spent += bytes
      // Measured early, so that events seldom wait for the result.
      if (room() < share() / 2) void measureOnce()
    },
    measure: measureOnce,
    ignoreUnread() {
      ignored = unread
    },
  }
}
