const DAY_MS = 86_400_000
const SIGNS_FOR_MS = 90 * DAY_MS
/** How long a key is published before it signs. No client caches the key set for longer. */
const ANNOUNCED_FOR_MS = DAY_MS
/** How long a key stays published after its last signature. No token is valid for longer. */
const KEPT_FOR_MS = DAY_MS

export interface KeyDates {
  kid: string
  signsFrom: Date
}

export interface KeyPlan<K extends KeyDates> {
  /** The time from which a new key must sign; undefined if no new key is needed. */
  newKeySignsFrom: Date | undefined
  /** Keys whose tokens have all expired. */
  drop: K[]
  /** The published keys; the first one signs. */
  keep: K[]
}

/**
 * Plans a new key when the newest one has signed for 90 days. A key is published from a day before its first signature
 * to a day after its last signature. Only the first key of a realm signs immediately.
 */
export function planKeys<K extends KeyDates>(keys: readonly K[], now: Date): KeyPlan<K> {
  const newestFirst = keys.toSorted((a, b) => b.signsFrom.getTime() - a.signsFrom.getTime())
  const [newest] = newestFirst
  if (!newest) return { newKeySignsFrom: now, drop: [], keep: [] }
  const age = (key: K) => now.getTime() - key.signsFrom.getTime()
  const signing = newestFirst.find((key) => age(key) >= 0) ?? newestFirst.at(-1)!
  const older = newestFirst.slice(newestFirst.indexOf(signing) + 1)
  const drop = age(signing) >= KEPT_FOR_MS ? older : []
  return {
    newKeySignsFrom: age(newest) >= SIGNS_FOR_MS ? new Date(now.getTime() + ANNOUNCED_FOR_MS) : undefined,
    drop,
    keep: [signing, ...newestFirst.filter((key) => key !== signing && !drop.includes(key))],
  }
}
