import { fileURLToPath } from 'node:url'

/** The ladder of a tenant's database. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../migrations', import.meta.url))
