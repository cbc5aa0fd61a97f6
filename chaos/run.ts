import { runByName } from '../scripts/run-by-name.ts'

/** `npm run chaos -- <name>`: runs a crash test under load. Exits with 1 if acknowledged data is lost or changed. */
await runByName(import.meta.dirname, 'chaos', 'chaos')
