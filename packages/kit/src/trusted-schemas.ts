/** Our own schemas are checked by the compiler and by tests. Compiling the meta schema takes 50 ms of each start. */
export const TRUSTED_SCHEMAS = { meta: false, validateSchema: false } as const
