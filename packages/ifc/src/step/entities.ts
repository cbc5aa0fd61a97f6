import { readSync } from 'node:fs'
import { IfcError } from '../ifc-error.ts'
import type { Schema } from '../schema/schema.ts'
import type { StepFile } from './read-step-file.ts'
import { cleanText } from './step-text.ts'
import { Enumeration, Reference, readArguments, type StepValue, TypedValue } from './step-values.ts'

const MAX_ENTITY_BYTES = 32 * 2 ** 20

/**
 * An entity of the file. Attributes are read by their names in the schema. A value of an unexpected kind is null, or is
 * left out of a list.
 */
export class Entity {
  readonly id: number
  /** In capitals, however the file writes it. */
  readonly className: string
  readonly #values: StepValue[]
  readonly #schema: Schema

  constructor(id: number, className: string, values: StepValue[], schema: Schema) {
    this.id = id
    this.className = className
    this.#values = values
    this.#schema = schema
  }

  isA(ancestor: string): boolean {
    return this.#schema.isA(this.className, ancestor)
  }

  value(attribute: string): StepValue {
    const position = this.#schema.position(this.className, attribute)
    // The file has the derived dimensions of an SI unit as first argument, but the schema has no attribute for them.
    return position === null ? null : (this.#values[position + (this.className === 'IFCSIUNIT' ? 1 : 0)] ?? null)
  }

  /** The first argument, even of a class that is not in the schema. It is the GlobalId in all classes that have one. */
  first(): StepValue {
    return this.#values[0] ?? null
  }

  text(attribute: string): string | null {
    const value = bare(this.value(attribute))
    return typeof value === 'string' ? cleanText(value) : null
  }

  number(attribute: string): number | null {
    const value = bare(this.value(attribute))
    return typeof value === 'number' ? value : null
  }

  enumeration(attribute: string): string | null {
    const value = bare(this.value(attribute))
    return value instanceof Enumeration ? cleanText(value.value) : null
  }

  reference(attribute: string): number | null {
    const value = this.value(attribute)
    return value instanceof Reference ? value.id : null
  }

  references(attribute: string): number[] {
    const value = bare(this.value(attribute))
    const list = Array.isArray(value) ? value : [value]
    return list.filter((each) => each instanceof Reference).map((each) => each.id)
  }

  numbers(attribute: string): number[] {
    const value = this.value(attribute)
    return Array.isArray(value) ? value.filter((each) => typeof each === 'number') : []
  }
}

function bare(value: StepValue): StepValue {
  return value instanceof TypedValue ? value.value : value
}

/** Reads single entities of a checked file. */
export class Entities {
  readonly schema: Schema
  readonly #file: number
  readonly #step: StepFile
  #bytes = Buffer.allocUnsafe(1 << 16)

  constructor(file: number, step: StepFile, schema: Schema) {
    this.#file = file
    this.#step = step
    this.schema = schema
  }

  get(id: number | null): Entity | null {
    const row = id === null ? null : this.#step.lines.rowOf(id)
    return row === null ? null : this.#at(row)
  }

  /** The class of an entity in capitals. The entity itself is not read. */
  classOf(id: number): string | null {
    const row = this.#step.lines.rowOf(id)
    return row === null ? null : this.#step.lines.classAt(row)
  }

  isA(id: number, ancestor: string): boolean {
    const className = this.classOf(id)
    return className !== null && this.schema.isA(className, ancestor)
  }

  /**
   * All entities of the wanted classes, in file order. Entities whose class is in `dismissed` are skipped. The caller
   * may add classes to `dismissed` while it reads.
   */
  *all(wanted: (className: string) => boolean, dismissed?: ReadonlySet<string>): Generator<Entity> {
    const { lines } = this.#step
    for (const row of lines.rowsOf(wanted)) if (!dismissed?.has(lines.classAt(row))) yield this.#at(row)
  }

  ofClass(ancestor: string): Generator<Entity> {
    return this.all((className) => this.schema.isA(className, ancestor))
  }

  #at(row: number): Entity {
    const { lines, dataTo } = this.#step
    const from = lines.offsetAt(row)
    const to = row + 1 < lines.count ? lines.offsetAt(row + 1) : dataTo
    const id = lines.idAt(row)
    if (to - from > MAX_ENTITY_BYTES) throw new IfcError(`The entity #${id} is larger than 32 MB`)
    if (to - from > this.#bytes.length) this.#bytes = Buffer.allocUnsafe(to - from)
    const read = readSync(this.#file, this.#bytes, 0, to - from, from)
    return new Entity(id, lines.classAt(row), readArguments(this.#bytes.subarray(0, read)), this.schema)
  }
}
