import { decodeText } from './step-text.ts'
import { textEnd } from './text-end.ts'

/** A value in the arguments of an entity. `$`, `*` and binary values are null. */
export type StepValue = null | number | string | Reference | Enumeration | TypedValue | StepValue[]

export class Reference {
  readonly id: number
  constructor(id: number) {
    this.id = id
  }
}

export class Enumeration {
  readonly value: string
  constructor(value: string) {
    this.value = value
  }
}

/** A value with its type, such as IFCAREAMEASURE(12.5). */
export class TypedValue {
  readonly type: string
  readonly value: StepValue
  constructor(type: string, value: StepValue) {
    this.type = type
    this.value = value
  }
}

/** Where the type of the entity begins: after the first equals sign that is not in a comment. */
function startOfType(bytes: Buffer): number {
  let at = 0
  while (at < bytes.length && bytes[at] !== 61) at = bytes[at] === 47 ? past(bytes, '*/', at + 2) : at + 1
  return at + 1
}

/** The arguments of the entity at the start of the bytes. Its syntax has been checked before. */
export function readArguments(bytes: Buffer): StepValue[] {
  const stack: { type: string | null; values: StepValue[] }[] = [{ type: null, values: [] }]
  let word: string | null = null
  let at = startOfType(bytes)
  while (at < bytes.length) {
    const byte = bytes[at]!
    const values = stack[stack.length - 1]!.values
    if (byte === 40) {
      stack.push({ type: word, values: [] })
      word = null
      at++
    } else if (byte === 41) {
      const list = stack.pop()!
      if (stack.length === 1) return list.values
      const value = list.type === null ? list.values : new TypedValue(list.type, list.values[0] ?? null)
      stack[stack.length - 1]!.values.push(value)
      at++
    } else if (byte === 39) {
      const to = textEnd(bytes, at)
      values.push(decodeText(bytes.subarray(at + 1, to)))
      at = to + 1
    } else if (byte === 34) {
      values.push(null)
      at = past(bytes, '"', at + 1)
    } else if (byte === 47) at = past(bytes, '*/', at + 2)
    else if (byte === 36 || byte === 42) {
      values.push(null)
      at++
    } else if (byte <= 32 || byte === 44 || byte === 59 || byte === 61) at++
    else {
      const to = wordEnd(bytes, at)
      const text = bytes.toString('latin1', at, to)
      at = to
      if (byte === 35) values.push(new Reference(Number(text.slice(1))))
      else if (byte === 46) values.push(new Enumeration(text.slice(1, -1).toUpperCase()))
      else if (/^[+\-\d]/.test(text)) values.push(Number(text))
      else word = text.toUpperCase()
    }
  }
  return []
}

function past(bytes: Buffer, end: string, from: number): number {
  const at = bytes.indexOf(end, from)
  return at < 0 ? bytes.length : at + end.length
}

/** Words, numbers, references and enumeration values end at a blank, comma, parenthesis, semicolon or comment. */
function wordEnd(bytes: Buffer, from: number): number {
  let at = from + 1
  while (at < bytes.length) {
    const byte = bytes[at]!
    if (byte <= 32 || byte === 44 || byte === 40 || byte === 41 || byte === 47 || byte === 59) break
    at++
  }
  return at
}
