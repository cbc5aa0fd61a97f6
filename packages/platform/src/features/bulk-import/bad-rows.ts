import { type BadRow, Problem } from '@storey/contract'
import { keyOfAny } from './sheets.ts'

const MAX_ERRORS = 100

/** Collects the violations of the rows of an import, at most one for each field, and reports them together. */
export class BadRows {
  readonly #list: string
  readonly #rows: readonly unknown[]
  readonly #found = new Map<string, BadRow>()
  readonly #indexes = new Set<number>()

  constructor(list: string, rows: readonly unknown[]) {
    this.#list = list
    this.#rows = rows
  }

  /** `pointer` is the JSON pointer of the field within the row. Only the first violation of a field is reported. */
  add(index: number, pointer: string, reason: string): void {
    const whole = `/${this.#list}/${index}${pointer}`
    this.#indexes.add(index)
    if (this.#found.has(whole)) return
    const externalId = keyOfAny(this.#rows[index], 'externalId')
    this.#found.set(whole, { index, externalId, reason, pointer: whole, in: 'body', detail: reason })
  }

  has(index: number): boolean {
    return this.#indexes.has(index)
  }

  /** If there are violations, throws one problem with the first MAX_ERRORS of them, in the order of the rows. */
  refuse(): void {
    if (this.#found.size === 0) return
    const all = [...this.#found.values()].sort((a, b) => a.index - b.index)
    const errors = all.slice(0, MAX_ERRORS)
    const [first] = errors
    const rows = `${this.#indexes.size} of ${this.#rows.length} rows cannot be imported, so none was imported`
    const detail = `${rows}: the first violation is in ${this.#list}/${first!.index}: ${first!.reason}`
    throw new Problem('VALIDATION_FAILED', detail, { members: { errors, errorCount: all.length } })
  }
}
