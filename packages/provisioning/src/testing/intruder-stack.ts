import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** A stack that attempts forbidden operations and writes the results to its own folder. */

const [other, secret] = JSON.parse(process.env.STACK_CONFIG!).corsOrigins as string[]

function attempt(what: () => unknown): string {
  try {
    what()
    return 'done'
  } catch (err) {
    return (err as NodeJS.ErrnoException).code ?? 'failed'
  }
}

const found = {
  uid: process.getuid?.(),
  environment: attempt(() => readFileSync(`/proc/${process.ppid}/environ`)),
  secret: attempt(() => readFileSync(secret!)),
  otherFolder: attempt(() => readdirSync(other!)),
  otherFile: attempt(() => writeFileSync(`${other}/left-here`, '')),
  ownFolder: attempt(() => readdirSync('.')),
  code: attempt(() => writeFileSync(`${process.env.NODE_COMPILE_CACHE}/planted`, '')),
  signal: attempt(() => process.kill(process.ppid, 0)),
}
writeFileSync('found.json', JSON.stringify(found))
process.on('message', () => process.exit(0))
process.send!({ type: 'listening', port: 1 })
