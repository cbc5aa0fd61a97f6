import type { LiveEvent } from '@storey/contract'
import { bearer, connectLive } from '@storey/sdk'
import type { Context } from '../../context.ts'
import { safeText } from '../../output/safe-text.ts'
import type { Target } from '../../sandboxes/target.ts'

export interface SeenEvent {
  event: LiveEvent
  data: Record<string, unknown>
  /** When the event arrived. */
  timestamp: string
  sequence: number
}

export interface LiveFeed {
  /** Resolves after `stop`; rejects if the sandbox refuses the connection. */
  ended: Promise<void>
  stop(): void
}

/**
 * Follows the live channel of a building, and reconnects after an interruption. Except with --format=json, the
 * interruption and the new connection are reported on stderr.
 */
export function followEvents(
  { out, clock }: Context,
  { apiUrl, token }: Target,
  { buildingId, events }: { buildingId: string; events: readonly LiveEvent[] },
  onEvent: (seen: SeenEvent) => void,
): LiveFeed {
  const live = connectLive({ url: apiUrl, credential: bearer(token), buildingId })
  let isStopping = false
  for (const event of events) {
    live.on(event, (fields, { sequence, skipped }) => {
      if (isStopping) return
      if (skipped) out.note(`Events left out, because this connection is too slow: ${safeText(String(skipped))}.`)
      onEvent({
        event,
        data: fields as unknown as Record<string, unknown>,
        timestamp: new Date(clock.now()).toISOString(),
        sequence,
      })
    })
  }
  live.onSnapshotRequired(() =>
    out.note('Events may have been missed: the interruption was too long, or the sandbox was restarted.'),
  )
  const ended = new Promise<void>((resolve, reject) => {
    let wasLive = false
    live.onStatus((status, error) => {
      if (status === 'live') {
        out.note(wasLive ? 'Connected again.' : `Listening to ${safeText(apiUrl)}. Press Ctrl-C to stop.`)
        wasLive = true
      } else if (status === 'away') {
        out.note(`${safeText(error?.message ?? 'The connection ended')}; connecting again.`)
      } else if (status === 'closed') {
        if (isStopping) resolve()
        else reject(error ?? new Error('The connection was closed'))
      }
    })
  })
  return {
    ended,
    stop() {
      isStopping = true
      live.close()
    },
  }
}
