import { LIMITS } from '@storey/contract'
import type { Row } from './write-api.ts'

const DEPRECATION_MS = LIMITS.deprecationDays * 86_400_000

/** Exports that were removed without a deprecation, or sooner than six months after it. */
export function removedTooEarly(rows: readonly Row[], names: ReadonlySet<string>, now: number): string[] {
  return rows
    .filter(({ entry, name }) => !names.has(`${entry} ${name}`))
    .filter(({ deprecated }) => deprecated === '' || !(now - Date.parse(deprecated) >= DEPRECATION_MS))
    .map(({ entry, name }) => `${entry} ${name}`)
}
