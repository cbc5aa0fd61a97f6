import { type FieldError, problems } from '@storey/contract'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'

const MOST_ERRORS = 20

/** Bodies are taken as they are: "5" is not 5. Query strings have only text, so there it is. */
export function createValidatorCompiler(shared: () => Record<string, unknown>): FastifySchemaCompiler<TSchema> {
  const make = (coerceTypes: boolean) => {
    const ajv = new Ajv({ allErrors: true, coerceTypes, strict: true, strictTypes: false, verbose: true })
    addFormats.default(ajv)
    for (const schema of Object.values(shared())) ajv.addSchema(schema as object)
    return ajv
  }
  const strict = once(() => make(false))
  const coercing = once(() => make(true))
  return ({ schema, httpPart = 'body' }) => {
    // Compiled at first use: a stack that wakes should not pay for routes nobody calls.
    const validate = once(() => (httpPart === 'body' ? strict() : coercing()).compile(schema))
    return (data: unknown) => check(validate(), data, httpPart)
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

function check(validate: ValidateFunction, data: unknown, part: string): { value: unknown } | { error: Error } {
  if (validate(data)) return { value: data }
  const errors = (validate.errors ?? []).slice(0, MOST_ERRORS).map((error) => describe(error, part))
  return { error: problems.validation(errors) }
}

function describe(error: ErrorObject, part: string): FieldError {
  const path = error.instancePath + childOf(error)
  const name = path.slice(1).replaceAll('/', '.') || (part === 'body' ? 'the body' : part)
  const pointer = part === 'querystring' ? `?${path.slice(1)}` : part === 'headers' ? `header ${path.slice(1)}` : path
  return { pointer, detail: `${name} ${sentence(error)}` }
}

function childOf(error: ErrorObject): string {
  const child = error.params.missingProperty ?? error.params.additionalProperty
  return child === undefined ? '' : `/${String(child).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function sentence(error: ErrorObject): string {
  const { keyword, params, parentSchema } = error
  if (keyword === 'required') return 'is required'
  if (keyword === 'additionalProperties') return 'is not a known field'
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`
  if (keyword === 'pattern' && parentSchema?.description) return `must be ${parentSchema.description}`
  return error.message ?? 'is not valid'
}
