import { wrongUsage } from '../errors.ts'

/** A compiled expression. It returns none, one or several results for a value, as in jq. */
export type Filter = (input: unknown) => unknown[]

/** The error for an expression that is invalid, or cannot be applied to the value. */
export function queryError(message: string): Error {
  return wrongUsage(`--jq: ${message}.`)
}

export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

export function fieldOf(value: unknown, key: unknown): unknown {
  if (value === null || value === undefined) return null
  if (typeof key === 'number' && Array.isArray(value)) return value.at(key) ?? null
  if (typeof key === 'string' && kindOf(value) === 'object') {
    return Object.hasOwn(value as object, key) ? (value as Record<string, unknown>)[key] : null
  }
  throw queryError(`cannot read ${JSON.stringify(key)} of ${kindOf(value)}`)
}

export function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  if (kindOf(value) === 'object') return Object.values(value as object)
  throw queryError(`cannot iterate over ${kindOf(value)}`)
}

/** As in jq, every value except false and null is true. */
export const isTrue = (value: unknown): boolean => value !== false && value !== null && value !== undefined

const ORDER = ['null', 'boolean', 'number', 'string', 'array', 'object']

/** Orders values by kind, then by value, in the order of jq. */
export function compare(a: unknown, b: unknown): number {
  const [left, right] = [ORDER.indexOf(kindOf(a)), ORDER.indexOf(kindOf(b))]
  if (left !== right) return left - right
  if (typeof a === 'number' || typeof a === 'boolean') return Number(a) - Number(b)
  if (Array.isArray(a) && Array.isArray(b)) return compareArrays(a, b)
  if (kindOf(a) === 'object') return compareObjects(a as object, b as object)
  return typeof a === 'string' ? compareTexts(a, b as string) : 0
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The sorted keys decide; if they are equal, the values of the first key with different values. */
function compareObjects(a: object, b: object): number {
  const keys = Object.keys(a).sort()
  const order = compareArrays(keys, Object.keys(b).sort())
  return order !== 0 ? order : compareArrays(valuesOf(a, keys), valuesOf(b, keys))
}

const valuesOf = (value: object, keys: readonly string[]): unknown[] =>
  keys.map((key) => (value as Record<string, unknown>)[key])

/** The first pair of different elements decides; if all pairs are equal, the length decides. */
function compareArrays(a: unknown[], b: unknown[]): number {
  for (const [i, element] of a.slice(0, b.length).entries()) {
    const order = compare(element, b[i])
    if (order !== 0) return order
  }
  return a.length - b.length
}

export const COMPARISONS: Record<string, (order: number) => boolean> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}
