import { Schema } from '../schema/schema.ts'

/** Text that is written to the file unchanged: a reference, an enumeration value, a typed value. */
export class RawText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Written = null | string | number | RawText | Written[]

export function enumValue(value: string): RawText {
  return new RawText(`.${value}.`)
}

export function typed(type: string, value: Written): RawText {
  return new RawText(`${type.toUpperCase()}(${written(value)})`)
}

export function written(value: Written): string {
  if (value === null) return '$'
  if (value instanceof RawText) return value.text
  if (Array.isArray(value)) return `(${value.map(written).join(',')})`
  if (typeof value === 'string') return `'${encoded(value)}'`
  const text = String(value).toUpperCase()
  return /[.E]/.test(text) ? text.replace(/^(-?\d+)E/, '$1.E') : `${text}.`
}

function encoded(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "''")
    .replace(/[^ -~]+/g, (letters) => `\\X2\\${[...Buffer.from(letters, 'utf16le').swap16()].map(hex).join('')}\\X0\\`)
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0')
}

/** Writes entities. The caller names the attributes, and the schema gives the position of each. */
export class StepWriter {
  readonly schema: Schema
  readonly #schemaName: string
  readonly #lines: string[] = []
  #lastId = 0

  constructor(schemaName: string) {
    this.#schemaName = schemaName
    this.schema = new Schema(schemaName)
  }

  add(className: string, attributes: Record<string, Written>): RawText {
    const places: string[] = []
    for (const [name, value] of Object.entries(attributes)) {
      const place = this.schema.position(className.toUpperCase(), name)
      if (place === null && value !== null) throw new Error(`${className} has no attribute ${name}`)
      if (place !== null) places[place] = written(value)
    }
    return this.line(className, Array.from(this.#all(className), (place) => places[place] ?? '$').join(','))
  }

  /** Adds an entity. `args` are its arguments as they are written to the file. */
  line(className: string, args: string): RawText {
    const id = `#${++this.#lastId}`
    this.#lines.push(`${id}=${className.toUpperCase()}(${args});`)
    return new RawText(id)
  }

  file(more: string[] = []): string {
    return [
      'ISO-10303-21;',
      'HEADER;',
      "FILE_DESCRIPTION(('ViewDefinition [ReferenceView]'),'2;1');",
      "FILE_NAME('test.ifc','2026-01-01T00:00:00',(''),(''),'','','');",
      `FILE_SCHEMA(('${this.#schemaName}'));`,
      'ENDSEC;',
      'DATA;',
      ...this.#lines,
      ...more,
      'ENDSEC;',
      'END-ISO-10303-21;',
      '',
    ].join('\n')
  }

  #all(className: string): number[] {
    return Array.from({ length: this.schema.attributeCount(className.toUpperCase()) }, (_, place) => place)
  }
}
