/** A statement with its parameters. Values are never part of the text, except those of `identifier` and `literal`. */
export class Sql {
  readonly parts: readonly string[]
  readonly values: readonly unknown[]
  readonly #isPrepared: boolean
  constructor(parts: readonly string[], values: readonly unknown[], { isPrepared = false } = {}) {
    this.parts = parts
    this.values = values
    this.#isPrepared = isPrepared
  }

  toQuery(): { text: string; values: unknown[]; name?: string } {
    const values: unknown[] = []
    const text = render(this, values)
    return this.#isPrepared ? { text, values, name: nameOf(text) } : { text, values }
  }
}

/** The names of prepared statements by their texts. */
const names = new Map<string, string>()

function nameOf(text: string): string {
  const name = names.get(text) ?? `s${names.size + 1}`
  names.set(text, name)
  return name
}

/** sql`select … where id = ${id}`: a value becomes a parameter, a nested statement becomes part of the text. */
export function sql(parts: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(parts, values)
}

/**
 * A statement that each connection parses only once. After five runs PostgreSQL may keep the plan of the statement too.
 * Use it only for statements that run very often and whose texts do not vary, because an open connection keeps every
 * text.
 */
export const prepared = ({ parts, values }: Sql): Sql => new Sql(parts, values, { isPrepared: true })

/** A quoted identifier, such as the name of a database, a role or a table. An identifier cannot be a parameter. */
export function identifier(name: string): Sql {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name)) throw new Error(`not a safe identifier: ${name}`)
  return new Sql([`"${name}"`], [])
}

/** A quoted literal, for statements that take no parameter. */
export function literal(text: string): Sql {
  if (!/^[\x20-\x7e]*$/.test(text) || text.includes('\\')) throw new Error('not a safe literal')
  return new Sql([`'${text.replaceAll("'", "''")}'`], [])
}

/** Conditions joined by AND; `true` when there are none. */
export function and(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return sql`true`
  return new Sql(['', ...Array(conditions.length - 1).fill(' and '), ''], conditions)
}

function render(statement: Sql, values: unknown[]): string {
  let text = statement.parts[0] ?? ''
  statement.values.forEach((value, i) => {
    text += value instanceof Sql ? render(value, values) : `$${values.push(value)}`
    text += statement.parts[i + 1]
  })
  return text
}
