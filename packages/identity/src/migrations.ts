import { fileURLToPath } from 'node:url'

/**
 * The migrations of the identity tables. These tables are in the control database, but a separate table records which
 * of their migrations were applied.
 */
export const IDENTITY_MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url))
export const IDENTITY_MIGRATIONS_TABLE = 'identity_migrations'
