/**
 * Options for schemas of the service itself. The compiler and the tests check these schemas, so they are not validated
 * at every start: compiling the meta schema for that would take 50 ms.
 */
export const TRUSTED_SCHEMAS = { meta: false, validateSchema: false } as const
