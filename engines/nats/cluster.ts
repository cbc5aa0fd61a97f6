import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { freePort } from '../../acceptance/system/system.ts'
import { createAuthority } from '../certificates.ts'
import { writeDeployFile } from '../deploy-file.ts'
import type { Program } from '../fetch/debian.ts'
import { until } from '../until.ts'

export type NatsUser = 'storey' | 'cafm' | 'admin'

const PASSWORDS: Record<NatsUser, string> = { storey: 'st@rey:1', cafm: 'cafm-2', admin: 'admin-3' }
const NODES = ['nats-1', 'nats-2', 'nats-3'] as const

export interface Cluster {
  version: string
  /** The value of `NATS_URL`. */
  url(password?: string): string
  /** The certificate of the private authority. */
  authority: string
  connect(user: NatsUser): Promise<NatsConnection>
  kill9(node: number): Promise<void>
  start(node: number): Promise<void>
  remove(): Promise<void>
}

/** Three nats-servers with TLS and accounts, each with the file of `deploy/nats` on ports of its own. */
export async function startCluster({ path, env }: Program): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'storey-nats-'))
  const authority = createAuthority(folder)
  const { certificate, key } = authority.issue('server', ['localhost', '127.0.0.1'])
  const ports = await Promise.all(NODES.map(async () => ({ client: await freePort(), route: await freePort() })))
  const files = ports.map(({ client, route }, node) =>
    writeDeployFile('nats/nats-server.conf', join(folder, `${NODES[node]}.conf`), {
      '0.0.0.0:4222': `127.0.0.1:${client}`,
      '0.0.0.0:6222': `127.0.0.1:${route}`,
      '/etc/nats/server.pem': certificate,
      '/etc/nats/server.key': key,
      '/etc/nats/ca.pem': authority.certificate,
      ...Object.fromEntries(NODES.map((name, i) => [`${name}.example.com:6222`, `localhost:${ports[i]!.route}`])),
    }),
  )
  const children: (ChildProcess | undefined)[] = []

  const servers = ports.map(({ client }) => `localhost:${client}`)
  const optionsOf = (user: NatsUser) => ({
    user,
    pass: PASSWORDS[user],
    tls: { caFile: authority.certificate },
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  })

  async function start(node: number): Promise<void> {
    children[node] = spawn(path, ['--config', files[node]!], {
      cwd: folder,
      stdio: 'ignore',
      env: {
        ...process.env,
        ...env,
        NATS_SERVER_NAME: NODES[node],
        STOREY_PASSWORD: PASSWORDS.storey,
        CAFM_PASSWORD: PASSWORDS.cafm,
        ADMIN_PASSWORD: PASSWORDS.admin,
      },
    })
    await until(`${NODES[node]} accepts clients`, () =>
      connect({ ...optionsOf('admin'), servers: servers[node]!, reconnect: false }).then(
        (nats) => nats.close().then(() => true),
        () => false,
      ),
    )
  }

  async function kill9(node: number): Promise<void> {
    const child = children[node]
    children[node] = undefined
    if (child === undefined) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }

  for (const node of NODES.keys()) await start(node)
  return {
    version: /v?([\d.]+)\s*$/.exec(
      execFileSync(path, ['--version'], { encoding: 'utf8', env: { ...process.env, ...env } }),
    )![1]!,
    url(password = PASSWORDS.storey) {
      const [first, ...others] = servers
      return [`tls://storey:${encodeURIComponent(password)}@${first}`, ...others.map((each) => `tls://${each}`)].join(
        ',',
      )
    },
    authority: authority.certificate,
    connect: (user) => connect({ ...optionsOf(user), servers }),
    kill9,
    start,
    async remove() {
      for (const node of NODES.keys()) await kill9(node)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
