import { runByName } from '../scripts/run-by-name.ts'

/** `npm run attacks -- <name>`: what a stranger would try, against a system started for it. Exits with 1 when it worked. */
await runByName(import.meta.dirname, 'attacks', 'attack')
