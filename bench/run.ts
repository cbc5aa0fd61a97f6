import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** `npm run bench -- <name>`: each benchmark prints its figures beside the limit they should keep. */
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace('.bench.ts', ''))

const [name] = process.argv.slice(2)
if (name === undefined || !existsSync(join(import.meta.dirname, `${name}.bench.ts`))) {
  process.stderr.write(`Usage: npm run bench -- ${names.join(' | ')}\n`)
  process.exit(64)
}
await import(`./${name}.bench.ts`)
