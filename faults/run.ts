import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** `npm run faults -- <name>`: what must hold when something breaks, tried for long. Ends with 1 when it did not hold. */
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.fault.ts'))
  .map((file) => file.replace('.fault.ts', ''))

const [name] = process.argv.slice(2)
if (name === undefined || !existsSync(join(import.meta.dirname, `${name}.fault.ts`))) {
  process.stderr.write(`Usage: npm run faults -- ${names.join(' | ')}\n`)
  process.exit(64)
}
await import(`./${name}.fault.ts`)
