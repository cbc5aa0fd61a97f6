import type { LayerValueType } from '@storey/contract'

const JS_TYPES = { NUMBER: 'number', STRING: 'string', BOOLEAN: 'boolean', ENUM: 'string' } as const

/** What `typeof` says of a value of the type. The categories of an ENUM are its schema's to name. */
export const jsTypeOf = (valueType: LayerValueType) => JS_TYPES[valueType]
