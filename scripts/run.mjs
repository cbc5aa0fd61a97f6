// Runs a TypeScript program of this repository on the Node that npm installs with it; installs first where needed.
// It is plain JavaScript without dependencies, because it must run on any Node from 20 on, in a bare clone.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const windows = process.platform === 'win32'
const node = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node')

function install() {
  const stamp = join(root, 'node_modules', '.storey-installed')
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && existsSync(node) && readFileSync(stamp, 'utf8') === wanted) return
  process.stderr.write('Installing packages, once…\n')
  // An install that is cut short must not look done, neither to us nor to npm, which believes its own record.
  for (const record of [stamp, join(root, 'node_modules', '.package-lock.json')]) rmSync(record, { force: true })
  // An install that breaks off must not count as one, nor as one of a copy that shares this file by a hard link.
  rmSync(stamp, { force: true })
  const args = ['install', '--no-save', '--loglevel=error', '--no-audit', '--no-fund']
  // npm's own output goes to stderr: stdout belongs to the program that is run.
  const { status } = spawnSync(windows ? 'npm.cmd' : 'npm', args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: windows,
  })
  if (status !== 0) {
    process.stderr.write('storey: the packages could not be installed; npm says why above.\n')
    process.exit(1)
  }
  writeFileSync(stamp, wanted)
}

install()
const [program, ...args] = process.argv.slice(2)
// Packages that are published as bundles are read as their sources here.
const child = spawn(node, ['--conditions=source', join(root, program), ...args], {
  cwd: root,
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'), ...process.env },
})
// Ctrl-C reaches the child too: it decides when the end has come.
process.on('SIGINT', () => undefined)
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
// When npm is killed nobody is left to stop the child; the child ends when its channel closes.
const parent = process.ppid
setInterval(() => process.ppid !== parent && process.exit(1), 1000).unref()
child.on('exit', (code, signal) => process.exit(signal ? 1 : code))
