/** `true` and `false` are schemas as well; they hold nothing to look at. */
export type Schema = Record<string, unknown>

/** A place in a document at which a schema stands, by its JSON pointer. */
export interface Place {
  pointer: string
  schema: Schema
}

/** Keywords whose schemas look at the same value again. The others look at parts of a value, and ours have none. */
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else']
const ITS_PARTS = [
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
]
const BY_NAME = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']

/** Schemas directly below one. What merely looks like a schema, in `enum` or `default`, is none. */
export function* below(place: Place): Generator<Place> {
  yield* onSameValue(place)
  for (const keyword of ITS_PARTS) yield* under(place, keyword)
  for (const keyword of BY_NAME) {
    const children = own(place.schema, keyword)
    if (isObject(children)) yield* each(`${place.pointer}/${keyword}`, Object.entries(children))
  }
}

export function* onSameValue(place: Place): Generator<Place> {
  for (const keyword of SAME_VALUE) yield* under(place, keyword)
}

function* under({ pointer, schema }: Place, keyword: string): Generator<Place> {
  const child = own(schema, keyword)
  if (Array.isArray(child)) yield* each(`${pointer}/${keyword}`, child.entries())
  else if (isObject(child)) yield { pointer: `${pointer}/${keyword}`, schema: child }
}

function* each(pointer: string, children: Iterable<[string | number, unknown]>): Generator<Place> {
  for (const [name, schema] of children) {
    if (isObject(schema)) yield { pointer: `${pointer}/${escaped(String(name))}`, schema }
  }
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

export const own = (schema: Schema, keyword: string): unknown =>
  Object.hasOwn(schema, keyword) ? schema[keyword] : undefined

export const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
