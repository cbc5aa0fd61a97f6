// Runs a TypeScript program of this repository on the Node that npm installs with the packages. If there is a build of
// the current sources, the build is run instead of the sources. Installs the packages first if needed.
// This file is plain JavaScript without dependencies, because it must run in a new clone and on any Node, to report
// which Node is required.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtService } from './build/built-service.mjs'
import { checkNode } from './install/check-node.mjs'
import { bundledNode, installPackages } from './install/install-packages.mjs'

const SERVICE = 'packages/host/src/main.ts'
const root = dirname(dirname(fileURLToPath(import.meta.url)))
checkNode(root)
await installPackages(root)

const [program, ...args] = process.argv.slice(2)
const file = builtService(root, program) ?? join(root, program)
// With the condition `source`, `@storey/sdk` is loaded from its sources instead of its bundle in `dist`.
const child = spawn(bundledNode(root), ['--conditions=source', file, ...args], {
  cwd: root,
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'), ...process.env },
})
// SIGINT is forwarded, because `kill -INT` reaches only this process. Ctrl-C in a terminal reaches the child too, and
// this process perhaps twice, from the terminal and from npm: the delay makes one forwarded signal of both. The service
// counts the forwarded signal and that of the terminal as a single Ctrl-C.
const INTERRUPT_MS = 100
let isForwarding = false
process.on('SIGINT', () => {
  if (isForwarding) return
  isForwarding = true
  setTimeout(() => {
    isForwarding = false
    child.kill('SIGINT')
  }, INTERRUPT_MS)
})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
// If this process is killed, the IPC channel closes, at which the service and the command-line tool exit. If npm is
// killed, this process gets no signal, so it checks whether its parent has changed.
const parent = process.ppid
if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== parent && process.exit(1), 1000).unref()
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code)
  if (!['SIGINT', 'SIGTERM', 'SIGHUP'].includes(signal)) process.stderr.write(`${lineOf(endOf(program, signal))}\n`)
  // The exit code with which a shell reports the signal.
  process.exit(128 + constants.signals[signal])
})

/** In production every line of the service's log is JSON, even this one, which a killed service cannot write itself. */
function lineOf(msg) {
  if (program !== SERVICE || process.env.MODE?.trim() !== 'production') return msg
  return JSON.stringify({ level: 'fatal', time: new Date().toISOString(), name: 'storey', pid: child.pid, msg })
}

function endOf(program, signal) {
  const cause = signal === 'SIGKILL' ? '. The system does this when memory is used up: see its log, such as dmesg' : ''
  return `${program} was ended by ${signal}${cause}.`
}
