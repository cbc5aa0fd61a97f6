import { runByName } from '../scripts/run-by-name.ts'

/** `npm run chaos -- <name>`: crash tests under load. Exits with 1 if acknowledged data was lost or changed. */
await runByName(import.meta.dirname, 'chaos', 'chaos')
