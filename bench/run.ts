import { runByName } from '../scripts/run-by-name.ts'

/** `npm run bench -- <name>`: each benchmark prints its figures beside the limit they should keep. */
await runByName(import.meta.dirname, 'bench', 'bench')
