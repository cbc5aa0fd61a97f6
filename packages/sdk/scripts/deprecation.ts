import type { Row } from './write-api.ts'

/** How long a stable export stays after its deprecation. */
const SIX_MONTHS_MS = 184 * 86_400_000

/** Exports that were removed without a deprecation, or sooner than six months after it. */
export function broken(rows: readonly Row[], names: ReadonlySet<string>, now: number): string[] {
  return rows
    .filter(({ entry, name }) => !names.has(`${entry} ${name}`))
    .filter(({ deprecated }) => deprecated === '' || !(now - Date.parse(deprecated) >= SIX_MONTHS_MS))
    .map(({ entry, name }) => `${entry} ${name}`)
}
