import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../acceptance/system/system.ts'

const PATHS = ['nats-server', '/usr/sbin/nats-server', '/usr/local/bin/nats-server']
const PASSWORD = 'p%40ss:word'

export interface NatsOptions {
  /** The address that it listens on. */
  host?: string
  /** The program; by default the one on the PATH, or in /usr/sbin or /usr/local/bin. */
  path?: string
}

export interface NatsServer {
  port: number
  /** The address with the credentials of this user. */
  urlOf(user: 'stacks' | 'maintenance' | 'spy'): string
  start(): Promise<void>
  kill9(): Promise<void>
  remove(): Promise<void>
}

/**
 * A real nats-server on a free port, with the permissions of the operations guide: stacks use the subjects of
 * buildings, and a maintenance system publishes work orders. The user `spy` may publish and receive everything.
 */
export async function natsServer({ host = '127.0.0.1', path = onPath() }: NatsOptions = {}): Promise<NatsServer> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'storey-nats-'))
  const file = join(folder, 'nats.conf')
  const password = decodeURIComponent(PASSWORD)
  writeFileSync(
    file,
    `listen: "${host}:${port}"
     authorization {
       users = [
         { user: stacks, password: "${password}",
           permissions: { publish: "svc.building.*.>", subscribe: "svc.building.*.>" } }
         { user: maintenance, password: "${password}",
           permissions: { publish: "svc.building.*.cafm.work-order.*", subscribe: "_INBOX.>" } }
         { user: spy, password: "${password}" }
       ]
     }`,
  )
  let child: ChildProcess | undefined
  let ended: Promise<void> = Promise.resolve()
  const kill9 = async () => {
    child?.kill('SIGKILL')
    await ended
  }
  return {
    port,
    urlOf: (user) => `nats://${user}:${PASSWORD}@${host}:${port}`,
    async start() {
      const started = spawn(path, ['--config', file], { cwd: folder, stdio: 'ignore' })
      child = started
      ended = new Promise((resolve) => started.once('exit', () => resolve()))
      for (let i = 0; i < 200; i++) {
        if (await isListening(host, port)) return
        await sleep(25)
      }
      throw new Error('nats-server does not respond')
    },
    kill9,
    async remove() {
      await kill9()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function onPath(): string {
  const program = PATHS.find((place) => spawnSync(place, ['--version']).status === 0)
  if (program === undefined)
    throw new Error('nats-server is required, but it is neither on the PATH nor in /usr/sbin or /usr/local/bin')
  return program
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => socket.destroy())
    socket.once('error', () => resolve(false)).once('connect', () => resolve(true))
  })
}
