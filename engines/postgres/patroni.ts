import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../acceptance/system/system.ts'
import { chooseUser } from '../../packages/kit/src/embedded-postgres/run-as.ts'
import { createAuthority } from '../certificates.ts'
import { writeDeployFile } from '../deploy-file.ts'
import { EngineMissing } from '../fetch/cache.ts'
import { debianProgram } from '../fetch/debian.ts'
import { pythonProgram } from '../fetch/python.ts'
import { until } from '../until.ts'
import { ask } from './ask.ts'

const VERSION = '4.1.5'
const NODES = ['node-1', 'node-2'] as const
type Node = (typeof NODES)[number]

/** Two Patroni nodes with one etcd, and an HAProxy that forwards connections to the primary. */
export interface PatroniCluster {
  version: string
  /** The port of HAProxy. */
  port: number
  authority: string
  /** Runs a statement on the primary, as the superuser. */
  ask(statement: string): Promise<Record<string, unknown>[]>
  primary(): Promise<Node | undefined>
  /** Kills Patroni and PostgreSQL of a node, as if its machine were lost. */
  kill(node: Node): Promise<void>
  start(node: Node): Promise<void>
  /** Waits until the cluster has a primary with a synchronous standby. */
  untilWhole(): Promise<number>
  remove(): Promise<void>
}

export async function startPatroni(): Promise<PatroniCluster> {
  const patroni = pythonProgram('patroni', [`patroni[etcd3]==${VERSION}`, 'psycopg[binary]'])
  const [etcd, haproxy] = [debianProgram('etcd', 'etcd-server'), debianProgram('haproxy')]
  const programs = postgresPrograms()
  const folder = mkdtempSync(join(tmpdir(), 'storey-patroni-'))
  chmodSync(folder, 0o755)
  const runAs = chooseUser([folder, patroni, programs])
  runAs.own(folder)
  const authority = createAuthority(folder)
  const { certificate, key } = authority.issue('server', ['localhost', '127.0.0.1'])
  const ownKey = join(folder, 'own.key')
  cpSync(key, ownKey)
  chmodSync(ownKey, 0o600)
  runAs.own(ownKey)
  const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()]
  const ports = await Promise.all(NODES.map(async () => ({ postgres: await freePort(), api: await freePort() })))
  const portsOf = (node: Node) => ports[NODES.indexOf(node)]!
  const children = new Map<string, ChildProcess>()
  const logged = new Map<string, string>()

  function run(name: string, [program, args]: [string, string[]], options: object = {}): void {
    const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], ...options })
    for (const stream of [child.stdout, child.stderr])
      stream!.on('data', (text) => logged.set(name, ((logged.get(name) ?? '') + text).slice(-5_000)))
    children.set(name, child)
  }
  async function end(name: string, signal: NodeJS.Signals): Promise<void> {
    const child = children.get(name)
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }

  const etcdUrls = { client: `http://127.0.0.1:${etcdPort}`, peer: `http://127.0.0.1:${peerPort}` }
  run(
    'etcd',
    [
      etcd.path,
      [
        ...['--data-dir', join(folder, 'etcd'), '--listen-client-urls', etcdUrls.client],
        ...['--advertise-client-urls', etcdUrls.client, '--listen-peer-urls', etcdUrls.peer],
        ...['--initial-advertise-peer-urls', etcdUrls.peer, '--initial-cluster', `default=${etcdUrls.peer}`],
      ],
    ],
    { env: { ...process.env, ...etcd.env } },
  )
  await until('etcd answers', () =>
    fetch(`${etcdUrls.client}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )

  for (const node of NODES) {
    const { postgres, api } = portsOf(node)
    const file = writeDeployFile('patroni/patroni.yml', join(folder, `${node}.yml`), {
      'name: node-1': `name: ${node}`,
      'etcd.example.com:2379': `127.0.0.1:${etcdPort}`,
      '0.0.0.0:8008': `127.0.0.1:${api}`,
      'node-1.example.com:8008': `127.0.0.1:${api}`,
      '0.0.0.0:5432': `127.0.0.1:${postgres}`,
      'node-1.example.com:5432': `127.0.0.1:${postgres}`,
      '/var/lib/postgresql/15/storey': join(folder, node),
      '/usr/lib/postgresql/15/bin': programs,
      '/etc/postgresql/tls/server.pem': certificate,
      '/etc/postgresql/tls/server.key': ownKey,
      'password_encryption: scram-sha-256': "password_encryption: scram-sha-256\n    unix_socket_directories: ''",
    })
    runAs.own(file)
  }
  const start = async (node: Node) => run(node, runAs.command(patroni, [join(folder, `${node}.yml`)]), runAs.identity)

  /** The node whose Patroni answers this health check with 200. */
  async function nodeThat(check: 'primary' | 'synchronous'): Promise<Node | undefined> {
    const answers = await Promise.all(
      NODES.map((node) =>
        fetch(`http://127.0.0.1:${portsOf(node).api}/${check}`).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    )
    return NODES.find((_, i) => answers[i])
  }
  const primary = () => nodeThat('primary')

  const askPrimary = (statement: string) =>
    ask(`postgres://postgres:change-me-superuser@localhost:${port}/postgres`, statement, 5_000)
  const untilWhole = () =>
    until(
      'a primary has a synchronous standby',
      async () => {
        // Patroni promotes only a standby that it has recorded as synchronous.
        const nodes = [await primary(), await nodeThat('synchronous')]
        if (nodes.includes(undefined)) return false
        const rows = await askPrimary("select 1 from pg_stat_replication where sync_state = 'sync'").catch(() => [])
        return rows.length === 1
      },
      120_000,
    ).catch((error) => {
      throw new Error(`${error.message}\n${NODES.map((node) => logged.get(node)).join('\n')}`)
    })

  const proxy = writeDeployFile('patroni/haproxy.cfg', join(folder, 'haproxy.cfg'), {
    'bind 0.0.0.0:5432': `bind 127.0.0.1:${port}`,
    ...Object.fromEntries(
      NODES.map((node) => [
        `${node}.example.com:5432 port 8008`,
        `127.0.0.1:${portsOf(node).postgres} port ${portsOf(node).api}`,
      ]),
    ),
  })
  run('haproxy', [haproxy.path, ['-f', proxy]], { env: { ...process.env, ...haproxy.env } })
  await start('node-1')
  await until('the first node is primary', async () => (await primary()) === 'node-1', 120_000)
  await start('node-2')
  await untilWhole()
  return {
    ...{ version: VERSION, port, authority: authority.certificate, ask: askPrimary, primary, start, untilWhole },
    async kill(node) {
      await end(node, 'SIGKILL')
      const pid = Number(readFileSync(join(folder, node, 'postmaster.pid'), 'utf8').split('\n')[0])
      process.kill(pid, 'SIGKILL')
    },
    async remove() {
      // Patroni stops its PostgreSQL.
      for (const name of [...NODES, 'haproxy', 'etcd']) await end(name, 'SIGTERM')
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** Patroni needs programs that the embedded PostgreSQL does not have, such as pg_basebackup and pg_rewind. */
function postgresPrograms(): string {
  const base = '/usr/lib/postgresql'
  const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : []
  const found = versions
    .map((version) => join(base, version, 'bin'))
    .find((each) => existsSync(join(each, 'pg_rewind')))
  if (found === undefined) throw new EngineMissing('A PostgreSQL of Debian is required for Patroni, with pg_rewind')
  execFileSync(join(found, 'postgres'), ['--version'], { stdio: 'ignore' })
  return found
}
