import type { ValueCheck } from './compile.ts'

export type { ValueCheck }

/**
 * The compiler of schemas and the engine for their patterns are loaded when a schema is compiled for the first time.
 * Most stacks never compile a schema, and loading both with the program made an idle stack 7 MB larger (ADR 41).
 */
const compiler = () => import('./compile.ts')

/** Compiles the schema of a layer, or rejects with VALUE_SCHEMA_INVALID. */
export async function compileValueSchema(valueSchema: unknown): Promise<ValueCheck> {
  return (await compiler()).compileValueSchema(valueSchema)
}

/** Rejects with VALUE_SCHEMA_INVALID if the schema of a payload in a module's manifest is invalid. */
export async function checkContract(schema: unknown): Promise<void> {
  ;(await compiler()).checkContract(schema)
}
