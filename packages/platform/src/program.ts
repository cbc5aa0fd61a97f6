import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export { MIGRATIONS_DIRECTORY } from './migrations.ts'

const BUILT = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const SOURCE = fileURLToPath(new URL('./main.ts', import.meta.url))

/** The program that the process runtime starts, with `seed` or `serve`: as built by `npm run build`, or its sources. */
export const STACK_PROGRAM = existsSync(BUILT) ? BUILT : SOURCE
