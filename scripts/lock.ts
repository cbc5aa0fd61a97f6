import { readFileSync, writeFileSync } from 'node:fs'
import { MODULE_LOCK, moduleLockViolations, readSources } from './lock/module-lock.ts'
import { completed, violationsOf } from './lock/packages.ts'
import { writeModuleLock } from './lock/write-module-lock.ts'

// Checks the lock files of this repository and of the module template. With `--write` it first adds the missing entries
// to the lock file of the repository, and writes the lock file of the template again.

const FILE = 'package-lock.json'
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

if (process.argv.includes('--write')) {
  const lock = read(FILE)
  writeFileSync(FILE, `${JSON.stringify({ ...lock, packages: completed(lock.packages) }, null, 2)}\n`)
  writeModuleLock()
}
const violations = [
  ...violationsOf(read(FILE).packages).map((violation) => `${FILE}: ${violation}`),
  ...moduleLockViolations(read(MODULE_LOCK), readSources()).map((violation) => `${MODULE_LOCK}: ${violation}`),
]
for (const violation of violations) process.stderr.write(`${violation}\n`)
process.exitCode = violations.length > 0 ? 1 : 0
