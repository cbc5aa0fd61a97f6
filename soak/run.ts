import { runByName } from '../scripts/run-by-name.ts'

/** `npm run soak -- <name> [minutes]`: loads the product for a long time, and draws its memory. */
await runByName(import.meta.dirname, 'soak', 'soak')
