import { LIMITS, problems } from '@storey/contract'
import { compilePattern, estimatePattern, short } from './patterns.ts'
import { below, isObject, onSameValue, own, type Place, type Schema } from './subschemas.ts'

/** Schemas are untrusted. These limits are far above what a value needs, and far below what is harmful. */
const MAX = {
  depth: 32,
  listLength: 5000,
  subschemas: 2000,
  /** Schemas that one value is checked against, including references. */
  evaluations: 200,
  /** Steps of all patterns together. `a{1,1000}` has 2,001. The steps that one value can run have the same limit. */
  patternSteps: 4000,
  /** The estimated steps of all patterns together, before they are compiled. A million of them take seconds. */
  estimatedSteps: 100_000,
}

const refused = (reason: string) => problems.valueSchemaInvalid(reason)

/** The first check: size, depth, and the length of lists, since some checks compare all pairs of entries. */
export function checkSize(valueSchema: unknown): Schema {
  if (!isObject(valueSchema)) throw refused('must be a JSON Schema, written as an object')
  const bytes = Buffer.byteLength(JSON.stringify(valueSchema))
  const { valueSchemaBytes } = LIMITS.layer
  if (bytes > valueSchemaBytes) throw refused(`has ${bytes} bytes, and at most ${valueSchemaBytes} are allowed`)
  checkDepth(valueSchema, 0)
  return valueSchema
}

function checkDepth(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX.depth) throw refused(`is nested more than ${MAX.depth} levels deep`)
  const children = Object.values(value)
  if (Array.isArray(value) && value.length > MAX.listLength) {
    throw refused(`has a list of more than ${MAX.listLength} entries`)
  }
  for (const child of children) checkDepth(child, depth + 1)
}

/** Keywords that refer to other documents, or change how a schema is evaluated. */
const BANNED = ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$vocabulary', '$async', '$data']

/**
 * References must stay inside the document. References that apply to the same value must not be cyclic. Patterns must
 * run in linear time. The numbers of schemas and of pattern steps that a value is checked against are limited. Returns
 * the number of pattern steps.
 */
export function checkReferences(root: Schema): number {
  const places = new Map<string, Place>()
  collect({ pointer: '', schema: root }, places)
  if (places.size > MAX.subschemas) throw refused(`has more than ${MAX.subschemas} schemas in it`)
  for (const place of places.values()) checkKeywords(place)
  const { schemas, patternSteps } = evaluationOf(places, checkPatterns(places.values()))
  if (schemas > MAX.evaluations) {
    throw refused(`checks a value against more than ${MAX.evaluations} schemas, including references`)
  }
  if (patternSteps > MAX.patternSteps) throw refused('has patterns that are too large, including references')
  return patternSteps
}

function collect(place: Place, places: Map<string, Place>): void {
  places.set(place.pointer, place)
  for (const child of below(place)) collect(child, places)
}

function checkKeywords({ pointer, schema }: Place): void {
  const banned = BANNED.find((keyword) => Object.hasOwn(schema, keyword))
  if (banned) throw refused(`uses ${banned}, which is not supported`)
  const moved = pointer === '' ? undefined : ['$id', '$schema'].find((keyword) => Object.hasOwn(schema, keyword))
  if (moved) throw refused(`has ${moved} below its root: it is allowed at the root only`)
}

/** Returns the steps of the keyword `pattern` of each schema. The patterns for names never run: see `evaluationOf`. */
function checkPatterns(places: Iterable<Place>): Map<Schema, number> {
  const stepsOf = new Map<Schema, number>()
  const total = { estimated: 0, compiled: 0 }
  const stepsIn = (pattern: string): number => {
    total.estimated += estimatePattern(pattern)
    if (total.estimated > MAX.estimatedSteps) throw refused('has patterns that are too large')
    const { size } = compilePattern(pattern)
    total.compiled += size
    if (total.compiled > MAX.patternSteps) throw refused('has patterns that are too large')
    return size
  }
  for (const { schema } of places) {
    const names = own(schema, 'patternProperties')
    if (isObject(names)) Object.keys(names).forEach(stepsIn)
    const pattern = own(schema, 'pattern')
    if (typeof pattern === 'string') stepsOf.set(schema, stepsIn(pattern))
  }
  return stepsOf
}

/** What one value is checked against, including references. */
interface Evaluation {
  schemas: number
  patternSteps: number
}

/**
 * What a layer value is checked against, beginning with the root. A layer value is never a list or an object, so the
 * schemas and patterns for entries, properties and their names do not count.
 */
function evaluationOf(places: ReadonlyMap<string, Place>, stepsOf: ReadonlyMap<Schema, number>): Evaluation {
  const known = new Map<Schema, Evaluation>()
  const open = new Set<Schema>()
  const count = (place: Place): Evaluation => {
    const { schema } = place
    const before = known.get(schema)
    if (before !== undefined) return before
    if (open.has(schema)) throw refused('has references that form a cycle')
    open.add(schema)
    const sum: Evaluation = { schemas: 1, patternSteps: stepsOf.get(schema) ?? 0 }
    const add = ({ schemas, patternSteps }: Evaluation) => {
      sum.schemas += schemas
      sum.patternSteps += patternSteps
    }
    for (const child of onSameValue(place)) add(count(child))
    const ref = own(schema, '$ref')
    if (typeof ref === 'string') add(count(targetOf(ref, places)))
    open.delete(schema)
    known.set(schema, sum)
    return sum
  }
  // All places are counted, so that unused references are checked too.
  for (const place of places.values()) count(place)
  return known.get(places.get('')!.schema)!
}

function targetOf(ref: string, places: ReadonlyMap<string, Place>): Place {
  if (!ref.startsWith('#')) throw refused(`refers to ${short(ref)}: references may only point inside the document`)
  const place = places.get(decoded(ref.slice(1)))
  if (!place) throw refused(`refers to ${short(ref)}, where there is no schema`)
  return place
}

function decoded(pointer: string): string {
  try {
    return decodeURIComponent(pointer)
  } catch {
    return '#'
  }
}
