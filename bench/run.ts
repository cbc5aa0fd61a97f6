import { runByName } from '../scripts/run-by-name.ts'

/** `npm run bench -- <name>`: runs a benchmark, which prints its figures next to their limits. */
await runByName(import.meta.dirname, 'bench', 'bench')
