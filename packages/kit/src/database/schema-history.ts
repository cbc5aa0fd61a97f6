import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tx } from './database.ts'
import { MIGRATIONS_TABLE, readMigrations, readVersion } from './migrations.ts'
import { hasUnsetSequence, readSchema, type SchemaObjects } from './schema-objects.ts'

/** The objects of each version of a schema, by version. Version 0 has only the table of applied migrations. */
export type SchemaHistory = readonly SchemaObjects[]

/**
 * A file beside the migrations. It has a line for each object that a version creates (`+`) or drops (`-`), such as
 * `16 - index sandboxes_with_work`.
 */
export const HISTORY_FILE = 'objects.txt'

export function readHistory(directory: string): SchemaHistory {
  const lines = readFileSync(join(directory, HISTORY_FILE), 'utf8').trimEnd().split(/\r?\n/)
  const changes = lines.map((line) => /^(\d+) ([+-]) (.+)$/.exec(line)!)
  const objects = new Set<string>()
  return Array.from({ length: readMigrations(directory).length + 1 }, (_, version) => {
    for (const [, , change, name] of changes.filter((each) => Number(each[1]) === version)) {
      if (change === '+') objects.add(name!)
      else objects.delete(name!)
    }
    return new Set(objects)
  })
}

export function formatHistory(history: SchemaHistory): string {
  const lines = history.flatMap((objects, version) => {
    const before = history[version - 1] ?? new Set()
    const dropped = without(before, objects).map((name) => `${version} - ${name}`)
    return [
      ...dropped.sort(),
      ...without(objects, before)
        .map((name) => `${version} + ${name}`)
        .sort(),
    ]
  })
  return `${lines.join('\n')}\n`
}

const without = (objects: SchemaObjects, others: SchemaObjects): string[] =>
  [...objects].filter((name) => !others.has(name))

export interface Completeness {
  /**
   * `new`: nothing of the schema exists yet, except perhaps the table of applied migrations. `ahead`: a newer program
   * has migrated the database.
   */
  state: 'new' | 'complete' | 'incomplete' | 'ahead'
  /** What an incomplete database lacks, although its migrations created it. */
  missing: string[]
}

/**
 * Compares a database with what the migrations up to its version create. The database may also have objects that no
 * migration creates. Call this function in `Database.snapshot`, because another process may be migrating.
 */
export async function checkCompleteness(
  tx: Tx,
  history: SchemaHistory,
  migrationsTable = MIGRATIONS_TABLE,
): Promise<Completeness> {
  const found = await readSchema(tx)
  const version = await readVersion(tx, migrationsTable)
  const expected = history[version]
  if (expected === undefined) return { state: 'ahead', missing: [] }
  const isLater = (name: string) => found.has(name) && !expected.has(name)
  const lacksRows = history.slice(version + 1).some((objects) => [...objects].some(isLater))
  const missing = without(expected, found)
  const isPartial = missing.length > 0 && missing.length < expected.size
  if (version === 0 && !isPartial && !lacksRows) return { state: 'new', missing: [] }
  if (lacksRows) missing.push(`rows of ${migrationsTable}`)
  if (missing.length === 0 && (await hasUnsetSequence(tx, expected))) missing.push('values of sequences')
  return { state: missing.length === 0 ? 'complete' : 'incomplete', missing }
}
