import { runByName } from '../scripts/run-by-name.ts'

/** `npm run chaos -- <name>`: what must hold when something breaks, tried for long. Ends with 1 when it did not hold. */
await runByName(import.meta.dirname, 'chaos', 'chaos')
