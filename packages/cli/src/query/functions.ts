import { compare, type Filter, isTrue, itemsOf, kindOf, queryError } from './filter.ts'

/** The functions of an expression, by name and number of arguments. */
export const FUNCTIONS: Record<string, (...args: Filter[]) => Filter> = {
  'select/1': (condition) => (input) => condition(input).flatMap((is) => (isTrue(is) ? [input] : [])),
  'map/1': (filter) => (input) => [itemsOf(input).flatMap(filter)],
  'sort_by/1': (filter) => (input) => [
    arrayOf(input)
      .map((item) => ({ item, by: filter(item) }))
      .sort((a, b) => compare(a.by, b.by))
      .map(({ item }) => item),
  ],
  'has/1': (key) => (input) => key(input).map((name) => has(input, name)),
  'contains/1': (part) => (input) => part(input).map((wanted) => contains(input, wanted)),
  'startswith/1': (part) => (input) => part(input).map((start) => textOf(input).startsWith(textOf(start))),
  'test/1': (pattern) => (input) => pattern(input).map((text) => expression(textOf(text)).test(textOf(input))),
  'join/1': (separator) => (input) => separator(input).map((text) => arrayOf(input).map(cell).join(textOf(text))),
  'length/0': () => (input) => [lengthOf(input)],
  'keys/0': () => (input) => [Array.isArray(input) ? [...input.keys()] : Object.keys(objectOf(input)).sort()],
  'first/0': () => (input) => [arrayOf(input)[0] ?? null],
  'last/0': () => (input) => [arrayOf(input).at(-1) ?? null],
  'sort/0': () => (input) => [[...arrayOf(input)].sort(compare)],
  'unique/0': () => (input) => [
    [...arrayOf(input)].sort(compare).filter((item, i, all) => i === 0 || compare(item, all[i - 1]) !== 0),
  ],
  'not/0': () => (input) => [!isTrue(input)],
  'tostring/0': () => (input) => [typeof input === 'string' ? input : JSON.stringify(input)],
  'tonumber/0': () => (input) => [numberOf(input)],
  '@tsv/0': () => (input) => [arrayOf(input).map(cell).join('\t')],
}

function arrayOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw queryError(`an array is expected, not ${kindOf(value)}`)
}

function objectOf(value: unknown): object {
  if (kindOf(value) === 'object') return value as object
  throw queryError(`an object is expected, not ${kindOf(value)}`)
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw queryError(`a string is expected, not ${kindOf(value)}`)
}

function numberOf(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number === 'number' && !Number.isNaN(number)) return number
  throw queryError(`${JSON.stringify(value)} is not a number`)
}

function lengthOf(value: unknown): number {
  if (value === null || value === undefined) return 0
  if (typeof value === 'string') return [...value].length
  if (typeof value === 'number') return Math.abs(value)
  if (typeof value === 'object') return Array.isArray(value) ? value.length : Object.keys(value).length
  throw queryError(`${kindOf(value)} has no length`)
}

function has(value: unknown, key: unknown): boolean {
  if (kindOf(value) === 'null') return false
  if (typeof key === 'number') return key >= 0 && key < arrayOf(value).length
  return Object.hasOwn(objectOf(value), textOf(key))
}

/** Unlike in jq, `wanted` may be a single value if `value` is an array: then an item of `value` must equal `wanted`. */
function contains(value: unknown, wanted: unknown): boolean {
  if (typeof value === 'string') return value.includes(textOf(wanted))
  const items = arrayOf(value)
  if (!Array.isArray(wanted)) return items.some((item) => compare(item, wanted) === 0)
  return wanted.every((part) => items.some((item) => isPart(item, part)))
}

function isPart(item: unknown, wanted: unknown): boolean {
  const [kind, other] = [kindOf(item), kindOf(wanted)]
  if (kind === other && (kind === 'string' || kind === 'array')) return contains(item, wanted)
  return compare(item, wanted) === 0
}

function expression(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    throw queryError(`"${pattern}" is not a regular expression`)
  }
}

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value.replaceAll(/[\t\n]/g, ' ') : JSON.stringify(value)
}
