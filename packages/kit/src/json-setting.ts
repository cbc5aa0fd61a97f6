import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { Static, TSchema } from 'typebox'
import { ConfigError } from './config.ts'
import { TRUSTED_SCHEMAS } from './trusted-schemas.ts'

/** Reads a configuration that another program passes as JSON. */
export function readJsonSetting<T extends TSchema>(name: string, text: string | undefined, schema: T): Static<T> {
  return createJsonReader(name, schema)(text)
}

/** Compiles the schema now, for a configuration that is read later. */
export function createJsonReader<T extends TSchema>(name: string, schema: T): (text: string | undefined) => Static<T> {
  const ajv = new Ajv({ ...TRUSTED_SCHEMAS, allErrors: true, strict: true, strictTypes: false })
  addFormats.default(ajv)
  const validate = ajv.compile<Static<T>>(schema)
  return (text) => {
    if (text === undefined) throw new ConfigError([`${name} is missing`])
    const value = parse(name, text)
    if (validate(value)) return Object.freeze(value)
    // The values are not part of the errors, because a configuration can contain passwords.
    throw new ConfigError((validate.errors ?? []).map((error) => `${name}${error.instancePath} ${error.message}`))
  }
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ConfigError([`${name} is not valid JSON`])
  }
}
