import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { findBrowser, whyUnusable } from './find-browser.ts'

const INSTALL_LIMIT_MS = 10 * 60_000

interface Source {
  name: string
  commands: readonly (readonly string[])[]
  env?: Record<string, string>
}

const PLAYWRIGHT: Source = {
  name: "Playwright's download",
  commands: [
    [process.execPath, join('node_modules', 'playwright-core', 'cli.js'), 'install', '--no-shell', 'chromium'],
  ],
  env: { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '15000' },
}

/** Package managers that install without asking, for root or users with password-free sudo. */
const PACKAGE_MANAGERS: readonly Source[] = [
  aptPackage('chromium-headless-shell'),
  aptPackage('chromium'),
  { name: 'apk', commands: [['apk', 'add', '--no-progress', 'chromium']] },
  { name: 'dnf', commands: [['dnf', 'install', '-y', '-q', 'chromium']] },
]

function aptPackage(name: string): Source {
  return {
    name: `apt-get with the package ${name}`,
    commands: [
      ['apt-get', 'update', '-qq'],
      ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', name],
    ],
    env: { DEBIAN_FRONTEND: 'noninteractive' },
  }
}

/**
 * The browser that the tests use: an installed one, else Playwright's download, else the system's package. Throws when
 * none can be installed.
 */
export function ensureBrowser(): string {
  const found = findBrowser()
  if (found !== undefined) return found
  const failures: string[] = []
  for (const source of [PLAYWRIGHT, ...packageManagersHere()]) {
    process.stderr.write(`Chromium for the browser tests is missing: trying ${source.name}…\n`)
    const failure = install(source)
    const installed = findBrowser()
    if (installed !== undefined) return installed
    failures.push(`${source.name}: ${failure ?? whyUnusable() ?? 'Chromium was not found after the installation'}`)
  }
  throw new Error(
    `The browser tests need Chromium or Chrome, and none could be installed (${failures.join('; ')}). ` +
      'Install one, then run the tests again.',
  )
}

function packageManagersHere(): Source[] {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  if (asRoot.length > 0 && !succeeds('sudo', ['-n', 'true'])) return []
  return PACKAGE_MANAGERS.filter(({ commands }) => succeeds(commands[0]![0]!, ['--version'])).map((source) => ({
    ...source,
    commands: source.commands.map((command) => [...asRoot, ...command]),
  }))
}

const succeeds = (program: string, args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0

/** Returns the first error line of the command that failed, or undefined if all commands succeeded. */
function install({ commands, env }: Source): string | undefined {
  for (const [program, ...args] of commands) {
    const { status, stderr, error } = spawnSync(program!, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      timeout: INSTALL_LIMIT_MS,
    })
    if (status !== 0) return reasonOf(stderr ?? '') ?? error?.message ?? `${program} ended with ${status}`
  }
  return undefined
}

function reasonOf(stderr: string): string | undefined {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /error|fail|unable|cannot|^E:/i.test(line) && !line.startsWith('at '))
  return lines.at(0)?.slice(0, 200)
}
