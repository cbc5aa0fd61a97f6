/** A schema that is an object. The schemas `true` and `false` are ignored, because they have no keywords to check. */
export type Schema = Record<string, unknown>

/** A schema in a document, with its JSON pointer. */
export interface Place {
  pointer: string
  schema: Schema
}

/**
 * Keywords whose schemas apply to the same value. The keywords in the lists below define schemas for `$ref`, or apply
 * only to lists and objects, which layer values never are.
 */
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else']
const PARTS_OF_VALUE = [
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
]
const BY_NAME = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']

/** The direct subschemas. Objects in `enum` or `default` are not schemas. */
export function* below(place: Place): Generator<Place> {
  yield* onSameValue(place)
  for (const keyword of PARTS_OF_VALUE) yield* under(place, keyword)
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
