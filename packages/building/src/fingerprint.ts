import type { Building } from './building.ts'
import { sha256 } from './random/sha256.ts'

const RECORDS_AT_ONCE = 200

/**
 * A hash of the whole building. It includes no ids of a sandbox, so a sandbox and a dry run with the same spec have the
 * same hash. Field names are sorted, so that their order in the code does not matter. For a list of records the field
 * names are hashed once, and then the values of each record.
 */
export function fingerprint(building: Building): string {
  const hash = sha256()
  const { storeys, spaces, elements, points, ...head } = building
  hash.update(`${canonical(head)}\n`)
  for (const [kind, records] of Object.entries({ storeys, spaces, elements, points })) {
    const fields = Object.keys(records[0] ?? {}).sort()
    hash.update(`${kind} ${fields.join(' ')}\n`)
    for (let at = 0; at < records.length; at += RECORDS_AT_ONCE) {
      const rows = records.slice(at, at + RECORDS_AT_ONCE).map((record) => row(record, fields))
      hash.update(`${JSON.stringify(rows)}\n`)
    }
  }
  return `sha256:${hash.hex()}`
}

const row = (record: object, fields: readonly string[]) =>
  fields.map((field) => (record as Record<string, unknown>)[field])

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`
}
