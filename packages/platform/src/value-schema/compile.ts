import { type LayerValue, problems } from '@storey/contract'
import { Ajv, type ErrorObject, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { FORMATS } from './formats.ts'
import { checkReferences, checkSize } from './guard.ts'
import { compilePattern, short } from './patterns.ts'
import { below, type Place, type Schema } from './subschemas.ts'

/** Returns why a value does not match the schema, for example `must be >= 0`. Undefined if the value matches. */
export type ValueCheck = (value: LayerValue) => string | undefined

const regExp = Object.assign(compilePattern, { code: 'compilePattern' })

const OPTIONS: Options = {
  strict: true,
  // Valid schemas may have `minimum` without `type`, and a `type` with two entries.
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  // The schema is validated against its metaschema once, by an instance that all schemas share.
  validateSchema: false,
  meta: false,
  // A subschema is compiled once and not copied, however many references to it there are.
  inlineRefs: false,
  formats: FORMATS,
  multipleOfPrecision: 9,
  code: { regExp },
  logger: false,
}

/** Unknown keywords and formats are ignored, as JSON Schema defines. */
const OPEN_OPTIONS: Options = { ...OPTIONS, strict: false }

const DRAFT_07 = {
  uri: /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/,
  Compiler: Ajv,
  meta: once(() => new Ajv({ logger: false })),
}
const DRAFT_2020 = {
  uri: /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/,
  Compiler: Ajv2020,
  meta: once(() => new Ajv2020({ logger: false })),
}

/**
 * The steps that the patterns of a schema may run for one value: the steps of the patterns times the characters of the
 * value. So many steps take about a second at most, and other requests wait meanwhile.
 */
const MAX_STEPS_RUN = 10_000_000

/** Compiles the schema of a layer, or throws VALUE_SCHEMA_INVALID. It never uses the network. */
export function compileValueSchema(valueSchema: unknown): ValueCheck {
  const { validate, patternSteps } = compile(valueSchema, DRAFT_07, OPTIONS)
  const maxLength = Math.floor(MAX_STEPS_RUN / patternSteps)
  return (value) => {
    if (typeof value === 'string' && value.length > maxLength) {
      return `has ${value.length} characters, but the patterns of the schema allow at most ${maxLength}`
    }
    return validate(value) ? undefined : short(validate.errors?.at(-1)?.message ?? 'is not valid')
  }
}

/**
 * Throws VALUE_SCHEMA_INVALID if the schema of a payload in a module's manifest is invalid. A schema without `$schema`
 * is read as 2020-12.
 */
export function checkContract(schema: unknown): void {
  compile(schema, DRAFT_2020, OPEN_OPTIONS)
}

/** Removes OpenAPI's `nullable`: the compiler would apply this keyword, but draft-07 and 2020-12 do not have it. */
function withoutNullable(schema: Schema): Schema {
  const copy = structuredClone(schema)
  const visit = (place: Place): void => {
    delete place.schema.nullable
    for (const child of below(place)) visit(child)
  }
  visit({ pointer: '', schema: copy })
  return copy
}

function compile(document: unknown, defaultDialect: typeof DRAFT_07 | typeof DRAFT_2020, options: Options) {
  const { $schema, $id: _, ...schema } = checkSize(document)
  const dialect =
    $schema === undefined ? defaultDialect : [DRAFT_07, DRAFT_2020].find(({ uri }) => uri.test(String($schema)))
  if (!dialect) throw problems.valueSchemaInvalid('has a $schema that is neither draft-07 nor 2020-12')
  const meta = dialect.meta()
  if (!meta.validateSchema(schema))
    throw problems.valueSchemaInvalid(`is not a JSON Schema: ${describeError(meta.errors)}`)
  const patternSteps = checkReferences(schema)
  // A new instance per schema, since an instance keeps everything it has compiled.
  const compiler = withFastEnum(new dialect.Compiler(options))
  return { validate: compiled(compiler, options.strict ? schema : withoutNullable(schema)), patternSteps }
}

function compiled(compiler: Ajv, schema: Schema) {
  try {
    return compiler.compile(schema)
  } catch (err) {
    const reason = (err as Error).message.replace(/^strict mode: /, '').replace(/ at path "#.*$/s, '')
    throw problems.valueSchemaInvalid(`does not compile: ${short(reason)}`)
  }
}

/**
 * The built-in `enum` searches the list for every value. Layer values are never lists or objects, so a set suffices.
 */
function withFastEnum(compiler: Ajv): Ajv {
  return compiler.removeKeyword('enum').addKeyword({
    keyword: 'enum',
    schemaType: 'array',
    compile(allowed: unknown[]) {
      const all = new Set(allowed)
      return (value: unknown) => all.has(value)
    },
    error: { message: 'must be one of the values of enum' },
  })
}

function describeError(errors: ErrorObject[] | null | undefined): string {
  const [first] = errors ?? []
  const allowed: unknown = first?.params.allowedValues
  const values = Array.isArray(allowed) ? `: ${allowed.join(', ')}` : ''
  const place = first?.instancePath.slice(1).replaceAll('/', '.') || 'it'
  return short(`${place} ${first?.message ?? 'is not valid'}${values}`)
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
