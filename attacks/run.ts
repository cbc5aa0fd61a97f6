import { runByName } from '../scripts/run-by-name.ts'

/** `npm run attacks -- <name>`: attacks against a system started for it. Exits with 1 if one succeeded. */
await runByName(import.meta.dirname, 'attacks', 'attack')
