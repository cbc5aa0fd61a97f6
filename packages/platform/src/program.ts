import { fileURLToPath } from 'node:url'

export { MIGRATIONS_DIRECTORY } from './migrations.ts'

/** The program that the process runtime starts, with `seed` or `serve`. */
export const STACK_PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url))
