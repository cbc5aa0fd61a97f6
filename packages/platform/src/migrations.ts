import { fileURLToPath } from 'node:url'

/** The migrations of a tenant database. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../migrations', import.meta.url))
