import type { LayerValueType } from '@storey/contract'

const JS_TYPES = { NUMBER: 'number', STRING: 'string', BOOLEAN: 'boolean', ENUM: 'string' } as const

/** The `typeof` of the values of a layer of this type. The strings of an ENUM layer are limited by its value schema. */
export const jsTypeOf = (valueType: LayerValueType) => JS_TYPES[valueType]
