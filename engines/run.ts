import { runByName } from '../scripts/run-by-name.ts'

/**
 * `npm run engines -- <name>`: starts an engine with the configuration in `deploy/`, and checks Storey with this
 * engine. An engine is a program that companies run beside Storey, such as a database, a proxy or a broker
 * (docs/engines.md). Exits with 1 if a check fails.
 */
await runByName(import.meta.dirname, 'engines', 'engine')
