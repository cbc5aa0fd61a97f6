import { runByName } from '../scripts/run-by-name.ts'

/** `npm run soak -- <name> [minutes]`: runs a load for a long time, and draws a chart of the memory. */
await runByName(import.meta.dirname, 'soak', 'soak')
