import { type LayerValue, type LayerValueType, LIMITS, problems } from '@storey/contract'
import type { LayerKind } from './layers.store.ts'
import { limitCheckTime } from './limit-check-time.ts'
import type { ValueChecks } from './value-checks.ts'
import { jsTypeOf } from './value-types.ts'

/**
 * The values in the order of the identifiers. Throws for the first value of a wrong type, else for the first value that
 * does not match the schema.
 */
export async function checkValues(
  layer: LayerKind,
  identifiers: readonly string[],
  given: Record<string, unknown>,
  checks: ValueChecks,
): Promise<LayerValue[]> {
  const values = identifiers.map((key) => checkType(layer.valueType, key, given[key]))
  if (layer.schemaText === null) return values
  const check = limitCheckTime(await checks.of(layer.schemaText), () =>
    problems.field('values', 'values take too long to check: send fewer of them'),
  )
  for (const [i, value] of values.entries()) {
    const reason = await check(value)
    if (reason !== undefined) throw problems.valueSchemaMismatch(identifiers[i]!, reason)
  }
  return values
}

function checkType(valueType: LayerValueType, key: string, value: unknown): LayerValue {
  if (typeof value !== jsTypeOf(valueType)) {
    throw problems.valueTypeMismatch(
      key,
      `is ${typeName(value)}, but ${valueType} requires a JSON ${jsTypeOf(valueType)}`,
    )
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw problems.valueTypeMismatch(key, 'is too large: NUMBER requires a finite number')
  }
  if (typeof value === 'string') checkText(key, value)
  return value as LayerValue
}

function checkText(key: string, value: string): void {
  const { valueLength } = LIMITS.layer
  if (value.length > valueLength) throw problems.valueTypeMismatch(key, `is longer than ${valueLength} characters`)
  if (!value.isWellFormed()) throw problems.valueTypeMismatch(key, 'has a lone surrogate, which is half a character')
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
