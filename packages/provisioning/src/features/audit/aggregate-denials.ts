import { addressGroup } from '@storey/kit/client-address'
import type { KeyEvent } from '../../key-events.ts'

export interface AggregatorOptions {
  /** Repeated denials within this time become one row. */
  windowMs: number
  /**
   * The maximum number of groups for unknown keys. Anyone can cause denials of unknown keys, so these groups are
   * limited. Above the maximum, the denials are grouped only by reason and status.
   */
  maxUnknown: number
  /**
   * The maximum number of groups for existing keys. Above the maximum, their denials are grouped only by organization,
   * reason and status.
   */
  maxKnown: number
}

interface Group {
  /** The latest event. */
  event: KeyEvent
  sinceMs: number
  repeats: number
  firstAt: Date
}

/** Whether repeated events are aggregated: denials, and requests above the rate limit. */
export function isAggregated({ reason, status }: KeyEvent): boolean {
  return reason !== null || status === 429
}

/**
 * Aggregates repeated denials. The first one of a group is passed on at once. Those that follow within the window are
 * counted, and become one row when the window ends. Denials with different user agents can be in one group, because an
 * attacker can send another user agent each time.
 */
export function createDenialAggregator({ windowMs, maxUnknown, maxKnown }: AggregatorOptions) {
  const groups = { unknown: new Map<string, Group>(), known: new Map<string, Group>() }

  function count(group: Group, event: KeyEvent): void {
    if (group.repeats++ === 0) group.firstAt = event.at
    group.event = event
  }

  /** Returns the row of the repeated events and resets the group. */
  function rowOf(group: Group, nowMs: number): KeyEvent {
    const row = { ...group.event, count: group.repeats, firstAt: group.firstAt }
    group.repeats = 0
    group.sinceMs = nowMs
    return row
  }

  return {
    /**
     * Returns the event when it is the first of its group and must be written. With `canWrite` false the event is only
     * counted.
     */
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

    /**
     * Returns the rows of windows that have ended or, with `all`, of all windows. Of these windows, groups without
     * repeats are deleted, and a new window begins for the others.
     */
    take(nowMs: number, all = false): KeyEvent[] {
      const rows: KeyEvent[] = []
      for (const map of Object.values(groups)) {
        for (const [key, group] of map) {
          // The window also ends if the clock was set back by at least the length of the window.
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

/** A client can use all addresses of its IPv6 network, so all addresses of a network are in one group. */
function keyOf({ organizationId, keyId, reason, status, method, route, sourceIp }: KeyEvent): string {
  const client = sourceIp === null ? null : addressGroup(sourceIp)
  return JSON.stringify([organizationId, keyId, reason, status, method, route, client])
}
