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

/** Orders values by kind, in the order of jq, then by value; arrays by their elements, objects by their JSON text. */
export function compare(a: unknown, b: unknown): number {
  const [left, right] = [ORDER.indexOf(kindOf(a)), ORDER.indexOf(kindOf(b))]
  if (left !== right) return left - right
  if (typeof a === 'number' || typeof a === 'boolean') return Number(a) - Number(b)
  if (Array.isArray(a) && Array.isArray(b)) return compareArrays(a, b)
  const [x, y] = typeof a === 'string' ? [a, b as string] : [JSON.stringify(a), JSON.stringify(b)]
  return x < y ? -1 : x > y ? 1 : 0
}

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
