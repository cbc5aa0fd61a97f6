import type { LayerValueType } from '@storey/contract'

const JS_TYPES = { NUMBER: 'number', STRING: 'string', BOOLEAN: 'boolean', ENUM: 'string' } as const

/** The `typeof` of a value of the type. The categories of an ENUM are in its schema. */
export const jsTypeOf = (valueType: LayerValueType) => JS_TYPES[valueType]
