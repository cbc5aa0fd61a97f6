import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { works } from './works.ts'

/** The PATH for shell commands. On a system without curl it starts with a folder in which `curl` runs curl.mjs. */
export function pathWithCurl(folder: string): string {
  const path = process.env.PATH!
  if (works('curl', '--version')) return path
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const stands = resolve('acceptance', 'documents', 'curl.mjs')
  writeFileSync(join(bin, 'curl'), `#!/bin/sh\nexec '${process.execPath}' '${stands}' "$@"\n`)
  chmodSync(join(bin, 'curl'), 0o755)
  return `${bin}${delimiter}${path}`
}
