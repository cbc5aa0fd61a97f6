/**
 * Options for schemas of the service itself. TypeScript and the tests check these schemas, so they are not validated at
 * every start. The validation would need the compiled meta schema, and compiling it takes 50 ms.
 */
export const TRUSTED_SCHEMAS = { meta: false, validateSchema: false } as const
