import { runByName } from '../scripts/run-by-name.ts'

/** `npm run attacks -- <name>`: starts a system and attacks it. Exits with 1 if the attack succeeds. */
await runByName(import.meta.dirname, 'attacks', 'attack')
