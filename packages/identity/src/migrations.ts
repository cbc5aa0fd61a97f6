import { fileURLToPath } from 'node:url'

/**
 * The migrations of the identity tables, which are in the control database and have their own table of applied
 * migrations.
 */
export const IDENTITY_MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url))
export const IDENTITY_MIGRATIONS_TABLE = 'identity_migrations'
