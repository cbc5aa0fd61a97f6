import { type ApiDocument, resolve, type Schema } from './document.ts'

const FORMATS: Record<string, string> = {
  'date-time': '2026-11-16T08:00:00Z',
  date: '2026-11-16',
  email: 'ann@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

/**
 * An example value for a schema: one that the schema contains, or else one of its type and format. Patterns and lengths
 * are ignored. Objects have only the required fields.
 */
export function exampleOf(document: ApiDocument, written: Schema, name = ''): unknown {
  const schema = resolve(document, written)
  const given = [schema.const, ...(schema.examples ?? []), schema.default, ...(schema.enum ?? [])]
  const known = given.find((value) => value !== undefined && value !== null)
  if (known !== undefined) return known
  const choice = schema.anyOf?.find((one) => one.type !== 'null')
  if (choice) return exampleOf(document, choice, name)
  const type = [schema.type].flat().find((one) => one !== 'null')
  if (type === 'object' || schema.properties) {
    const fields = Object.entries(schema.properties ?? {}).filter(([field]) => schema.required?.includes(field))
    return Object.fromEntries(fields.map(([field, value]) => [field, exampleOf(document, value, field)]))
  }
  if (type === 'array')
    return (schema.minItems ?? 1) > 0 && schema.items ? [exampleOf(document, schema.items, name)] : []
  if (type === 'number' || type === 'integer') return schema.minimum ?? 1
  if (type === 'boolean') return true
  return FORMATS[schema.format ?? ''] ?? (name === 'email' ? FORMATS.email : 'text')
}
