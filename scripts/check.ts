import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureBrowser } from './browser/ensure-browser.ts'
import { missingPrograms } from './needed-programs.ts'

// Runs all checks of a change, in stages. With the name of a stage as argument it runs only that stage.

const bin = (name: string) => join('node_modules', '.bin', name)
const vitest = (...args: string[]) => [process.execPath, join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...args]

const WORKFLOWS = '.github/workflows/*.yml'

const STAGES: Record<string, string[][]> = {
  lint: [
    [bin('biome'), 'ci', '--colors=off', '--error-on-warnings', '.'],
    [process.execPath, 'scripts/architecture.ts'],
    [process.execPath, 'scripts/conformance.ts'],
    [process.execPath, '--conditions=source', 'scripts/api/lint.ts'],
    [process.execPath, 'scripts/lock.ts'],
    [process.execPath, join('node_modules', '@tktco', 'node-actionlint', 'bin', 'node-actionlint.js'), WORKFLOWS],
  ],
  types: [
    [bin('tsc'), '-p', 'tsconfig.json'],
    [bin('tsc'), '-p', 'tsconfig.web.json'],
    [bin('tsc'), '-p', 'tsconfig.browser.json'],
  ],
  unit: [vitest('--project', 'unit')],
  acceptance: [vitest('--project', 'acceptance')],
}

const [only, ...rest] = process.argv.slice(2)
if (only !== undefined && !(only in STAGES)) {
  process.stderr.write(`Unknown stage "${only}". Stages: ${Object.keys(STAGES).join(', ')}\n`)
  process.exit(64)
}

// Missing programs are reported now, not after ten minutes of tests.
if (only === undefined || only === 'acceptance') {
  try {
    const missing = missingPrograms()
    if (missing !== undefined) throw new Error(missing)
    ensureBrowser()
  } catch (err) {
    process.stderr.write(`${(err as Error).message}\n`)
    process.exit(1)
  }
}

for (const [stage, commands] of Object.entries(STAGES)) {
  if (only !== undefined && stage !== only) continue
  const startedAt = Date.now()
  for (const [program, ...args] of commands) {
    const { status } = spawnSync(program!, [...args, ...rest], {
      stdio: 'inherit',
      shell: process.platform === 'win32',
    })
    if (status !== 0) {
      process.stderr.write(`\n${stage} failed\n`)
      process.exit(1)
    }
  }
  process.stdout.write(`${stage}: passed, ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`)
}
