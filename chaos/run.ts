import { runByName } from '../scripts/run-by-name.ts'

/**
 * `npm run chaos -- <name>`: runs a chaos test. Exits with 1 if one of its checks fails, for example if acknowledged
 * data is lost.
 */
await runByName(import.meta.dirname, 'chaos', 'chaos')
