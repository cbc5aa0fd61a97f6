import { problems } from '@storey/contract'
import type { Observations } from './observations.ts'

/** Writes the sources of observations into columns, as numbers. A source gets the next number when it first occurs. */
export class SourceNames {
  readonly #columns: Observations
  readonly #numbers = new Map<string, number>()
  constructor(columns: Observations) {
    this.#columns = columns
  }

  set(i: number, name: string): void {
    const columns = this.#columns
    columns.sources ??= new Uint16Array(columns.points.length)
    let number = this.#numbers.get(name)
    if (number === undefined) {
      columns.sourceNames.push(name)
      number = columns.sourceNames.length
      if (number > 65_535) throw problems.field('observations', 'observations name more than 65,535 sources')
      this.#numbers.set(name, number)
    }
    columns.sources[i] = number
  }
}
