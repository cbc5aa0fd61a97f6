import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmEnvironment } from '../../packages/cli/src/commands/module/project/npm-environment.mjs'
import { isSupported, supportedNode, userVersions } from './check-node.mjs'
import { withLock } from './lock.mjs'
import { ensureNodeStarts } from './node-that-starts.mjs'
import { reasonOf, watchNpm } from './watch-npm.mjs'

const windows = process.platform === 'win32'
const PROBE_MS = 6_000
const print = (text) => process.stderr.write(text)

/** Installs the packages of package-lock.json if that was not done before; exits when it fails. */
export async function installPackages(root) {
  if (isInstalled(root)) return
  const exitCode = await withLock(join(root, '.storey-installing'), 'installing packages', async (wasInterrupted) => {
    // Another process may have installed them meanwhile.
    if (isInstalled(root)) return 0
    if (wasInterrupted) removePackages(root)
    return await install(root)
  })
  if (exitCode === 0) return
  print('storey: the packages could not be installed; see the messages above.\n')
  process.exit(1)
}

const stampOf = (root) => join(root, 'node_modules', '.storey-installed')
const lockHash = (root) =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')

/** An install with an unsupported Node does not count, because npm omits optional packages that need a newer one. */
function isInstalled(root) {
  const stamp = readStamp(root)
  return (
    stamp?.lock === lockHash(root) &&
    stamp.platform === `${process.platform}-${process.arch}` &&
    isSupported(stamp.node, supportedNode(root)) &&
    existsSync(bundledNode(root))
  )
}

function readStamp(root) {
  try {
    return JSON.parse(readFileSync(stampOf(root), 'utf8'))
  } catch {
    return undefined
  }
}

const nodePackage = [
  process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node',
  windows ? 'win' : process.platform,
  process.arch,
].join('-')

/** The Node that runs all programs of this repository. It comes from an optional package, one for each platform. */
export function bundledNode(root) {
  return join(root, 'node_modules', nodePackage, 'bin', windows ? 'node.exe' : 'node')
}

/** Removes all packages, because npm does not repair every state that an interrupted npm leaves behind. */
function removePackages(root) {
  print('An earlier installation of the packages was interrupted: installing them again.\n')
  const workspaces = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name, 'node_modules'))
  for (const folder of [join(root, 'node_modules'), ...workspaces]) rmSync(folder, { recursive: true, force: true })
}

async function install(root) {
  print('Installing packages…\n')
  // Removed, because npm would trust its record of an interrupted install. Removed and not emptied, because a copy of
  // the clone may share these files through hard links.
  for (const record of [stampOf(root), join(root, 'node_modules', '.package-lock.json')])
    rmSync(record, { force: true })
  const watch = watchNpm({ print, probe: () => probe(root), isTerminal: process.stderr.isTTY === true })
  const args = ['install', '--no-save', '--loglevel=http', '--no-progress', '--no-audit', '--no-fund', '--color=false']
  const exitCode = await runNpm(root, args, (chunk) => watch.take(chunk))
  watch.end()
  if (exitCode !== 0) return exitCode
  if (!existsSync(bundledNode(root))) {
    print(
      `npm installed no Node for ${process.platform}-${process.arch}: the registry has none, or \`omit=optional\` is set.\n`,
    )
    return 1
  }
  const started = await ensureNodeStarts({
    node: bundledNode(root),
    name: nodePackage,
    print,
    runNpm: (args) => runNpm(root, args, print),
  })
  if (started !== 0) return started
  const { node, npm } = userVersions()
  const stamp = { lock: lockHash(root), platform: `${process.platform}-${process.arch}`, node, npm }
  writeFileSync(stampOf(root), `${JSON.stringify(stamp)}\n`)
  print(`${watch.summary()}\n`)
  return 0
}

async function probe(root) {
  let output = ''
  const args = ['ping', `--fetch-timeout=${PROBE_MS}`, '--fetch-retries=0', '--loglevel=error', '--color=false']
  await runNpm(root, args, (chunk) => {
    output += chunk
  })
  return reasonOf(output)
}

/** Resolves with the exit code; `onError` gets what npm writes to stderr. */
function runNpm(root, args, onError) {
  return new Promise((resolve) => {
    const npm = spawn(windows ? 'npm.cmd' : 'npm', args, {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
      shell: windows,
      env: npmEnvironment(process.env),
    })
    npm.stderr.setEncoding('utf8').on('data', onError)
    npm.on('error', (err) => {
      onError(`npm error ${err.code === 'ENOENT' ? 'npm is not installed' : err.message}\n`)
      resolve(1)
    })
    npm.on('close', (code) => resolve(code ?? 1))
  })
}
