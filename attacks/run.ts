import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** `npm run attacks -- <name>`: what a stranger would try, against a system started for it. Exits with 1 when it worked. */
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.attack.ts'))
  .map((file) => file.replace('.attack.ts', ''))

const [name] = process.argv.slice(2)
if (name === undefined || !existsSync(join(import.meta.dirname, `${name}.attack.ts`))) {
  process.stderr.write(`Usage: npm run attacks -- ${names.join(' | ')}\n`)
  process.exit(64)
}
await import(`./${name}.attack.ts`)
