import { fileURLToPath } from 'node:url'

/** The ladder of the identity tables, which live in the control database with a ledger of their own. */
export const IDENTITY_MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url))
export const IDENTITY_LEDGER = 'identity_migrations'
