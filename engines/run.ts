import { runByName } from '../scripts/run-by-name.ts'

/**
 * `npm run engines -- <name>`: starts an engine that companies run beside Storey, with the configuration in `deploy/`, and
 * checks Storey on it. Exits with 1 if a check fails.
 */
await runByName(import.meta.dirname, 'engines', 'engine')
