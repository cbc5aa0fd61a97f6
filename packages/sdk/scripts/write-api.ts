import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { VERSION } from '@storey/contract'
import { readExports } from './read-exports.ts'

/** A row of `api.md`: an export that is stable. */
export interface Row {
  entry: string
  name: string
  since: string
  /** The day on which the export was deprecated, such as 2026-11-15, or empty. */
  deprecated: string
}

const FILE = fileURLToPath(new URL('../api.md', import.meta.url))
const ROW = /^\| `(\S+)` +\| `(\w+)` +\| (\S+) +\| (\S*) *\|$/gm

export function readApiTable(text = readFileSync(FILE, 'utf8')): Row[] {
  return [...text.matchAll(ROW)].map(([, entry, name, since, deprecated]) => ({
    entry: entry!,
    name: name!,
    since: since!,
    deprecated: deprecated!,
  }))
}

const HEAD = `# Stable exports

Each row is a promise: the export stays, and keeps its meaning. The last column has the date of a deprecation; the promise
ends six months after it. \`node scripts/run.mjs packages/sdk/scripts/write-api.ts\` adds rows for new stable exports and
removes none. Remove a row by hand when its export is marked \`@deprecated\` and six months have passed since the date.

`

/** The existing rows, and a new row for each stable export that has none yet. */
export function withNew(rows: readonly Row[]): Row[] {
  const known = new Set(rows.map(({ entry, name }) => `${entry} ${name}`))
  const added = readExports().filter(({ tag, entry, name }) => tag === 'stable' && !known.has(`${entry} ${name}`))
  const all = [...rows, ...added.map(({ entry, name }) => ({ entry, name, since: VERSION, deprecated: '' }))]
  return all.sort((a, b) => (`${a.entry} ${a.name}` < `${b.entry} ${b.name}` ? -1 : 1))
}

export function table(rows: readonly Row[]): string {
  const cells = rows.map(({ entry, name, since, deprecated }) => [`\`${entry}\``, `\`${name}\``, since, deprecated])
  const all = [['Entry', 'Export', 'Since', 'Deprecated'], ...cells]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |\n`
  const [head, ...body] = all.map(line)
  return `${HEAD}${head}| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |\n${body.join('')}`
}

function existing(): Row[] {
  try {
    return readApiTable()
  } catch {
    return []
  }
}

if (import.meta.main) writeFileSync(FILE, table(withNew(existing())))
