/** A name such as `insert observation_batches`, and the operation in it. */
export interface StatementSummary {
  text: string
  operation: string
}

const KEYWORD = String.raw`\b(?:(insert)\s+into|(delete)\s+from|(?<!\bfor\s+|\bdo\s+)(update)|(copy)|(?<!\bdistinct\s+|\(\w+\s+)(?:from|join))`
const TABLE = new RegExp(String.raw`${KEYWORD}\s+(?:only\s+)?"?([a-z_][a-z0-9_]*)"?(?!\w*\()`, 'g')
/** The names of common table expressions, which are not tables. */
const EXPRESSION = /\b([a-z_]\w*)\s+(?:\([\w\s,]*\)\s+)?as\s+(?:not\s+)?(?:materialized\s+)?\(/g
const NO_TABLES = new Set(['lateral', 'unnest', 'select', 'only', 'set', 'values'])
const MAX_PARTS = 6

const known = new WeakMap<readonly string[], StatementSummary>()

/** The operations and tables of a statement, without its values, from the constant parts of its text. */
export function summaryOf(parts: readonly string[]): StatementSummary {
  const cached = known.get(parts)
  if (cached !== undefined) return cached
  const summary = summarize(parts.join(' ? '))
  known.set(parts, summary)
  return summary
}

function summarize(statement: string): StatementSummary {
  const text = statement.replace(/--[^\n]*/g, ' ').toLowerCase()
  const expressions = new Set([...text.matchAll(EXPRESSION)].map((match) => match[1]))
  const summary: string[] = []
  let last = ''
  for (const [, inserted, deleted, updated, copied, table = ''] of text.matchAll(TABLE)) {
    if (expressions.has(table) || NO_TABLES.has(table)) continue
    const operation = inserted ?? deleted ?? updated ?? copied ?? 'select'
    const isNamed = summary.includes(table) && operation === 'select'
    if (isNamed || summary.length >= MAX_PARTS) continue
    if (operation !== last) summary.push(operation)
    summary.push(table)
    last = operation
  }
  const [operation = /[a-z]+/.exec(text)?.[0] ?? 'statement'] = summary
  return { text: summary.length === 0 ? operation : summary.join(' '), operation }
}
