import { type FieldError, MAX_FIELD_ERRORS, type Problem, problems } from '@storey/contract'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { TRUSTED_SCHEMAS } from '../trusted-schemas.ts'
import { pointerTo } from './pointer.ts'

/**
 * If a value contains more values than this, counted at all levels together, only its first error is reported, because
 * collecting all errors takes time and memory.
 */
const MAX_PARTS = 1000
/** Longer names from a client are cut in an error. */
const MAX_NAME_LENGTH = 200

/** The part of the request that an error refers to. */
const PLACES: Record<string, FieldError['in']> = { querystring: 'query', params: 'path', headers: 'header' }

/** Bodies are not converted: "5" is not 5. `readText` converts the other parts of a request, which are always text. */
export function createValidatorCompiler(shared: () => Record<string, unknown>): FastifySchemaCompiler<TSchema> {
  const compile = createCompile(shared)
  return ({ schema, httpPart = 'body' }) => {
    const place = PLACES[httpPart] ?? 'body'
    const check = compile(schema, place)
    return (data: unknown) => {
      const value = place === 'body' ? data : readText(schema, data)
      const errors = check(value)
      return errors.length === 0 ? { value } : { error: refusal(schema, value, errors) }
    }
  }
}

/** A `limit` that is too large is refused with a code of its own, if it is the only error. */
function refusal(schema: unknown, value: unknown, errors: FieldError[]): Problem {
  const [{ pointer, in: place }, ...others] = errors as [FieldError, ...FieldError[]]
  if (others.length > 0 || place !== 'query' || pointer !== '/limit') return problems.validation(errors)
  const { limit: requested } = value as { limit?: unknown }
  const max = (schema as { properties?: { limit?: { maximum?: number } } }).properties?.limit?.maximum
  const isTooLarge = typeof requested === 'number' && max !== undefined && requested > max
  return isTooLarge ? problems.limitTooLarge(requested, max) : problems.validation(errors)
}

type Check = (value: unknown) => FieldError[]

/** Schemas are compiled at first use, so that a waking stack does not compile unused routes. */
function createCompile(shared: () => Record<string, unknown> = () => ({})) {
  const [first, all] = [false, true].map((allErrors) =>
    once(() => {
      const ajv = new Ajv({ ...TRUSTED_SCHEMAS, allErrors, strict: true, strictTypes: false, verbose: true })
      addFormats.default(ajv)
      for (const schema of Object.values(shared())) ajv.addSchema(schema as object)
      return ajv
    }),
  )
  return (schema: TSchema, place: FieldError['in']): Check => {
    const findFirst = once(() => first!().compile(schema))
    const findAll = once(() => all!().compile(schema))
    return (value) => {
      if (findFirst()(value)) return []
      if (hasManyParts(value)) return errorsOf(findFirst(), place)
      findAll()(value)
      return errorsOf(findAll(), place)
    }
  }
}

function hasManyParts(value: unknown): boolean {
  let left = MAX_PARTS
  const count = (part: unknown): boolean => {
    if (--left < 0) return true
    if (typeof part !== 'object' || part === null) return false
    const parts = Array.isArray(part) ? part : Object.values(part)
    return parts.length > left || parts.some(count)
  }
  return count(value)
}

const compilePart = createCompile()

/**
 * Validates a part of a body that no route's schema covers. The errors have the same texts as those of a route's
 * schema. Their pointers are relative to the validated part.
 */
export function createBodyCheck(schema: TSchema): Check {
  return compilePart(schema, 'body')
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Converts each text to the number or boolean that the schema requires. A text in any other form stays text. */
function readText(schema: unknown, data: unknown): unknown {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  const entries = Object.entries((data ?? {}) as Record<string, unknown>)
  return Object.fromEntries(
    entries.map(([name, text]) => [name, typeof text === 'string' ? readValue(text, properties[name]?.type) : text]),
  )
}

function readValue(text: string, type: string | undefined): unknown {
  // Numbers above the safe integers are converted too, so that they are refused as too large, and not as texts.
  if (type === 'integer' && /^-?\d{1,40}$/.test(text)) return Number(text)
  if (type === 'number' && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function errorsOf({ errors }: ValidateFunction, place: FieldError['in']): FieldError[] {
  return (errors ?? []).slice(0, MAX_FIELD_ERRORS).map((error) => describe(error, place))
}

function describe(error: ErrorObject, place: FieldError['in']): FieldError {
  const child: string | undefined = error.params.missingProperty ?? error.params.additionalProperty
  const parents = error.instancePath.split('/').slice(1).map(unescaped)
  const path = (child === undefined ? parents : [...parents, child]).map(shortened)
  return { pointer: pointerTo(path), in: place, detail: `${path.join('.') || `the ${place}`} ${sentence(error)}` }
}

const shortened = (name: string) => (name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name)

const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

function sentence(error: ErrorObject): string {
  const { keyword, params, parentSchema } = error
  if (keyword === 'required') return 'is required'
  if (keyword === 'additionalProperties') return 'is not a known field'
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`
  if (keyword === 'pattern' && parentSchema?.description) return `must be ${parentSchema.description}`
  return error.message ?? 'is not valid'
}
