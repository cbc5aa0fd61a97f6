import { runByName } from '../scripts/run-by-name.ts'

/** `npm run attacks -- <name>`: runs an attack against a system that it starts. Exits with 1 if the attack succeeds. */
await runByName(import.meta.dirname, 'attacks', 'attack')
