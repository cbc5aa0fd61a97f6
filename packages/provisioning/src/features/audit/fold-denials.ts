import type { KeyEvent } from '../../key-events.ts'

export interface FoldOptions {
  /** Repeats within this time become one row. */
  windowMs: number
  /** Different denials of keys that nobody has, at a time: anyone can make them up. What comes beyond is one group. */
  maxUnknown: number
  /** The same for keys that exist. */
  maxKnown: number
}

interface Group {
  /** The latest of them, as its row will be. */
  event: KeyEvent
  sinceMs: number
  repeats: number
  firstAt: Date
}

/** Whether a row of its own is worth it only the first time: a denial, or a request that came after a rate limit. */
export function isFolded({ reason, status }: KeyEvent): boolean {
  return reason !== null || status === 429
}

/**
 * Denials that repeat: the first of its kind is written at once, those that follow within the window are counted and
 * become one row at its end. The user agent does not tell kinds apart, since a guesser can send another each time.
 */
export function createDenialFold({ windowMs, maxUnknown, maxKnown }: FoldOptions) {
  const groups = { unknown: new Map<string, Group>(), known: new Map<string, Group>() }

  function count(group: Group, event: KeyEvent): void {
    if (group.repeats++ === 0) group.firstAt = event.at
    group.event = event
  }

  /** Takes what repeated out of the group, as a row. */
  function rowOf(group: Group, nowMs: number): KeyEvent {
    const row = { ...group.event, count: group.repeats, firstAt: group.firstAt }
    group.repeats = 0
    group.sinceMs = nowMs
    return row
  }

  return {
    /** Gives back the event when it is the first of its kind and has to be written; `canWrite` false: it is counted. */
    add(event: KeyEvent, canWrite: boolean): KeyEvent | undefined {
      const [kind, most] =
        event.organizationId === null ? (['unknown', maxUnknown] as const) : (['known', maxKnown] as const)
      let of = event
      let key = keyOf(of)
      if (!groups[kind].has(key) && groups[kind].size >= most) {
        of = { ...event, keyId: null, actor: null, method: null, route: null, sourceIp: null, userAgent: null }
        key = keyOf(of)
      }
      const group = groups[kind].get(key)
      if (group) return void count(group, of)
      const fresh: Group = { event: of, sinceMs: of.at.getTime(), repeats: 0, firstAt: of.at }
      groups[kind].set(key, fresh)
      return canWrite ? of : void count(fresh, of)
    },

    /** The rows of windows that have ended, or of all of them. A kind that did not repeat is forgotten. */
    take(nowMs: number, all = false): KeyEvent[] {
      const rows: KeyEvent[] = []
      for (const map of Object.values(groups)) {
        for (const [key, group] of map) {
          // A clock that was put back ends the window too.
          const ended = Math.abs(nowMs - group.sinceMs) >= windowMs
          if (!ended && !all) continue
          if (group.repeats > 0) rows.push(rowOf(group, nowMs))
          else map.delete(key)
        }
      }
      return rows
    },

    size: () => groups.unknown.size + groups.known.size,
  }
}

function keyOf({ organizationId, keyId, reason, status, method, route, sourceIp }: KeyEvent): string {
  return JSON.stringify([organizationId, keyId, reason, status, method, route, sourceIp])
}
