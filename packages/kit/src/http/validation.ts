import { type FieldError, problems } from '@storey/contract'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { pointerTo } from './pointer.ts'

const MOST_ERRORS = 20

/** Where a field stood, as its error tells it. */
const PLACES: Record<string, FieldError['in']> = { querystring: 'query', params: 'path', headers: 'header' }

/** A request is taken as it is: "5" is not 5 in a body. In a query, where all is text, it is read by `readText`. */
export function createValidatorCompiler(shared: () => Record<string, unknown>): FastifySchemaCompiler<TSchema> {
  const ajv = once(() => {
    const made = createAjv()
    for (const schema of Object.values(shared())) made.addSchema(schema as object)
    return made
  })
  return ({ schema, httpPart = 'body' }) => {
    // Compiled at first use: a stack that wakes should not pay for routes nobody calls.
    const validate = once(() => ajv().compile(schema))
    return (data: unknown) => {
      const place = PLACES[httpPart] ?? 'body'
      return check(validate(), place === 'body' ? data : readText(schema, data), place)
    }
  }
}

function createAjv(): Ajv {
  const made = new Ajv({ allErrors: true, strict: true, strictTypes: false, verbose: true })
  addFormats.default(made)
  return made
}

const parts = once(createAjv)

/** Checks a part of a body that no route's schema can name, in the words of the schemas. Pointers begin at the value. */
export function createBodyCheck(schema: TSchema): (value: unknown) => FieldError[] {
  const validate = once(() => parts().compile(schema))
  return (value) => (validate()(value) ? [] : errorsOf(validate(), 'body'))
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Plain decimal digits are a number and true and false are truth values; nothing else is read into a text. */
function readText(schema: unknown, data: unknown): unknown {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  const entries = Object.entries((data ?? {}) as Record<string, unknown>)
  return Object.fromEntries(
    entries.map(([name, text]) => [name, typeof text === 'string' ? readValue(text, properties[name]?.type) : text]),
  )
}

function readValue(text: string, type: string | undefined): unknown {
  // Beyond what a number tells apart as well: that it is too large can be said of it.
  if (type === 'integer' && /^-?\d{1,40}$/.test(text)) return Number(text)
  if (type === 'number' && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function check(
  validate: ValidateFunction,
  data: unknown,
  place: FieldError['in'],
): { value: unknown } | { error: Error } {
  if (validate(data)) return { value: data }
  return { error: problems.validation(errorsOf(validate, place)) }
}

function errorsOf({ errors }: ValidateFunction, place: FieldError['in']): FieldError[] {
  return (errors ?? []).slice(0, MOST_ERRORS).map((error) => describe(error, place))
}

function describe(error: ErrorObject, place: FieldError['in']): FieldError {
  const child: string | undefined = error.params.missingProperty ?? error.params.additionalProperty
  const parents = error.instancePath.split('/').slice(1).map(unescaped)
  const path = child === undefined ? parents : [...parents, child]
  return { pointer: pointerTo(path), in: place, detail: `${path.join('.') || `the ${place}`} ${sentence(error)}` }
}

const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

function sentence(error: ErrorObject): string {
  const { keyword, params, parentSchema } = error
  if (keyword === 'required') return 'is required'
  if (keyword === 'additionalProperties') return 'is not a known field'
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`
  if (keyword === 'pattern' && parentSchema?.description) return `must be ${parentSchema.description}`
  return error.message ?? 'is not valid'
}
