import type { DataLayer } from '@storey/sdk'

type ValueType = DataLayer['valueType']

/**
 * The rule for the values of a layer, as the form of the layer shows it. `schema`: a JSON Schema for which the form has
 * no fields.
 */
export type ValueRule =
  | { kind: 'any' }
  | { kind: 'number'; min?: number; max?: number; isWhole: boolean }
  | { kind: 'text'; maxLength: number }
  | { kind: 'choices'; values: readonly string[] }
  | { kind: 'schema'; schema: object }

/** The JSON Schema of a rule; null accepts every value of the type. */
export function schemaOf(rule: ValueRule): object | null {
  switch (rule.kind) {
    case 'any':
      return null
    case 'number': {
      const { min, max, isWhole } = rule
      if (min === undefined && max === undefined && !isWhole) return null
      return {
        type: isWhole ? 'integer' : 'number',
        ...(min === undefined ? {} : { minimum: min }),
        ...(max === undefined ? {} : { maximum: max }),
      }
    }
    case 'text':
      return { type: 'string', maxLength: rule.maxLength }
    case 'choices':
      return rule.values.length === 0 ? null : { type: 'string', enum: [...rule.values] }
    case 'schema':
      return rule.schema
  }
}

export function ruleOf(valueType: ValueType, schema: unknown): ValueRule {
  if (schema === null || schema === undefined || schema === true) return { kind: 'any' }
  // The API also accepts the schema `false`, which refuses every value.
  if (typeof schema !== 'object') return { kind: 'schema', schema: { not: {} } }
  const unknown: ValueRule = { kind: 'schema', schema }
  const { type, minimum, maximum, maxLength, enum: choices, ...rest } = schema as Record<string, unknown>
  if (Object.keys(rest).length > 0) return unknown
  const found = readRule(valueType, { type, minimum, maximum, maxLength, choices })
  if (!found) return unknown
  const written = schemaOf(found)
  if (written === null && Object.keys(schema).length === 1) return { kind: 'any' }
  // If the form would save a different schema, the given schema has something that the form does not show.
  return written !== null && hasSameFields(written, schema) ? found : unknown
}

function readRule(valueType: ValueType, fields: Record<string, unknown>): ValueRule | undefined {
  const { type, minimum, maximum, maxLength, choices } = fields
  if (valueType === 'NUMBER' && (type === 'number' || type === 'integer')) {
    return {
      kind: 'number',
      isWhole: type === 'integer',
      ...(typeof minimum === 'number' ? { min: minimum } : {}),
      ...(typeof maximum === 'number' ? { max: maximum } : {}),
    }
  }
  const isText = valueType === 'STRING' || valueType === 'ENUM'
  if (!isText) return undefined
  if (Array.isArray(choices) && choices.every((choice) => typeof choice === 'string')) {
    return { kind: 'choices', values: choices }
  }
  return typeof maxLength === 'number' ? { kind: 'text', maxLength } : undefined
}

/** Whether two schemas have the same fields with the same values, apart from `type` and the order. */
function hasSameFields(a: object, b: object): boolean {
  const fields = ({ type: _, ...rest }: { type?: unknown }) =>
    JSON.stringify(Object.entries(rest).sort(([x], [y]) => (x < y ? -1 : 1)))
  return fields(a) === fields(b)
}
