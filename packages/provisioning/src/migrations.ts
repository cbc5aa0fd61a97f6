import { fileURLToPath } from 'node:url'

/** The migrations of the control database. */
export const CONTROL_MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url))
