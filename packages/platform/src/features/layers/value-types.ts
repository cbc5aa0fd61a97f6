import type { LayerValueType } from '@storey/contract'

const JS_TYPES = { NUMBER: 'number', STRING: 'string', BOOLEAN: 'boolean', ENUM: 'string' } as const

/** The `typeof` of the values of a layer of this type. Only its value schema limits the strings of an ENUM layer. */
export const jsTypeOf = (valueType: LayerValueType) => JS_TYPES[valueType]
