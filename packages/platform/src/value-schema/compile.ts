import { type LayerValue, problems } from '@storey/contract'
import { Ajv, type ErrorObject, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { FORMATS } from './formats.ts'
import { checkReferences, checkSize } from './guard.ts'
import { compilePattern, short } from './patterns.ts'
import type { Schema } from './subschemas.ts'

/** Why a value does not fit, in words that follow "it"; undefined when it does. */
export type ValueCheck = (value: LayerValue) => string | undefined

const regExp = Object.assign(compilePattern, { code: 'compilePattern' })

const OPTIONS: Options = {
  strict: true,
  // Good schemas say `minimum` without `type`, and `type` with two.
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  // Held against its metaschema once, by an instance that all schemas share.
  validateSchema: false,
  meta: false,
  // A schema that many references name is one function, and not as many copies.
  inlineRefs: false,
  formats: FORMATS,
  multipleOfPrecision: 9,
  code: { regExp },
  logger: false,
}

const DIALECTS = [
  {
    uri: /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/,
    Compiler: Ajv,
    meta: once(() => new Ajv({ logger: false })),
  },
  {
    uri: /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/,
    Compiler: Ajv2020,
    meta: once(() => new Ajv2020({ logger: false })),
  },
]

/** Compiles the schema of a layer, or throws VALUE_SCHEMA_INVALID. No network is asked, whatever it says. */
export function compileValueSchema(valueSchema: unknown): ValueCheck {
  const { $schema, $id: _, ...schema } = checkSize(valueSchema)
  const dialect = $schema === undefined ? DIALECTS[0] : DIALECTS.find(({ uri }) => uri.test(String($schema)))
  if (!dialect) throw problems.valueSchemaInvalid('has a $schema that is neither draft-07 nor 2020-12')
  const meta = dialect.meta()
  if (!meta.validateSchema(schema)) throw problems.valueSchemaInvalid(`is no JSON Schema: ${told(meta.errors)}`)
  checkReferences(schema)
  // Of its own, and let go with its check: what an instance has compiled it keeps.
  const validate = compiled(withQuickEnum(new dialect.Compiler(OPTIONS)), schema)
  return (value) => (validate(value) ? undefined : short(validate.errors?.at(-1)?.message ?? 'is not valid'))
}

function compiled(compiler: Ajv, schema: Schema) {
  try {
    return compiler.compile(schema)
  } catch (err) {
    const reason = (err as Error).message.replace(/^strict mode: /, '').replace(/ at path "#.*$/s, '')
    throw problems.valueSchemaInvalid(`does not compile: ${short(reason)}`)
  }
}

/** The compiler's own walks the list for every value; ours has no lists and no objects in it that could be equal. */
function withQuickEnum(compiler: Ajv): Ajv {
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

function told(errors: ErrorObject[] | null | undefined): string {
  const [first] = errors ?? []
  return short(`${first?.instancePath.slice(1).replaceAll('/', '.') || 'it'} ${first?.message ?? 'is not valid'}`)
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
