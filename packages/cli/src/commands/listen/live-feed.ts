import { LIVE_EVENTS, type LiveEvent } from '@storey/contract'
import { bearer, connectLive } from '@storey/sdk'
import type { Context } from '../../context.ts'
import { safeText } from '../../output/safe-text.ts'
import type { Target } from '../../sandboxes/target.ts'
import { reportGap } from './report-gap.ts'

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
 * interruption and the new connection are reported on stderr. Missing events are reported in either format.
 */
export function followEvents(
  { out, clock }: Context,
  { apiUrl, token }: Target,
  { buildingId, events }: { buildingId: string; events: readonly LiveEvent[] },
  onEvent: (seen: SeenEvent) => void,
): LiveFeed {
  const live = connectLive({ url: apiUrl, credential: bearer(token), buildingId })
  let isStopping = false
  // Subscribes to all events, because an event that is not shown can have the number of skipped events too.
  for (const event of LIVE_EVENTS) {
    live.on(event, (fields, { sequence, skipped }) => {
      if (isStopping) return
      if (skipped) {
        const what = skipped === 1 ? '1 event was' : `${skipped} events were`
        reportGap(out, 'slow_connection', `${what} not sent, because this connection is too slow.`, { skipped })
      }
      if (!events.includes(event)) return
      onEvent({
        event,
        data: fields as unknown as Record<string, unknown>,
        timestamp: new Date(clock.now()).toISOString(),
        sequence,
      })
    })
  }
  live.onSnapshotRequired(() => {
    const detail = 'Events may have been missed: the interruption was too long, or the sandbox was restarted.'
    reportGap(out, 'interruption', detail)
  })
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
