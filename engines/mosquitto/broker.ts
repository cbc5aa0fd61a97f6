import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { connectAsync } from 'mqtt'
import { freePort } from '../../acceptance/system/system.ts'
import { createAuthority } from '../certificates.ts'
import { writeDeployFile } from '../deploy-file.ts'
import { debianProgram } from '../fetch/debian.ts'
import { until } from '../until.ts'

export const PASSWORDS = { storey: 'st0rey', gateway: 'g@teway' } as const

export interface Broker {
  version: string
  url: string
  /** The certificate of the private authority. */
  authority: string
  start(): Promise<void>
  /** Sends SIGTERM, so that the broker saves its sessions. */
  stop(): Promise<void>
  /** Restricts the user `gateway` to this topic and its topic of errors, and has the broker read its files again. */
  grant(topic: string): void
  remove(): Promise<void>
}

/** A Mosquitto with the files of `deploy/mosquitto`. */
export async function createBroker(): Promise<Broker> {
  const { path, env } = debianProgram('mosquitto')
  const folder = mkdtempSync(join(tmpdir(), 'storey-mosquitto-'))
  const at = (file: string) => join(folder, file)
  const authority = createAuthority(folder)
  const { certificate, key } = authority.issue('server', ['localhost', '127.0.0.1'])
  const port = await freePort()
  const environment = { ...process.env, ...env }
  mkdirSync(at('data'))
  writeFileSync(at('passwords'), '', { mode: 0o600 })
  for (const [user, password] of Object.entries(PASSWORDS))
    execFileSync(join(dirname(path), '../bin/mosquitto_passwd'), ['-b', at('passwords'), user, password], {
      env: environment,
    })
  writeDeployFile('mosquitto/acl', at('acl'), {})
  writeDeployFile('mosquitto/mosquitto.conf', at('mosquitto.conf'), {
    'user mosquitto': `user ${userInfo().username}`,
    'listener 8883': `listener ${port} 127.0.0.1`,
    '/etc/mosquitto/certs/ca.pem': authority.certificate,
    '/etc/mosquitto/certs/server.pem': certificate,
    '/etc/mosquitto/certs/server.key': key,
    '/etc/mosquitto/passwords': at('passwords'),
    '/etc/mosquitto/acl': at('acl'),
    '/var/lib/mosquitto/': `${at('data')}/`,
  })
  appendFileSync(at('mosquitto.conf'), `log_dest file ${at('log')}\n`)
  const url = `mqtts://localhost:${port}`
  let child: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()

  async function start(): Promise<void> {
    const started = spawn(path, ['-c', at('mosquitto.conf')], { cwd: folder, stdio: 'ignore', env: environment })
    child = started
    ended = new Promise((resolve) => started.once('exit', resolve))
    await until('Mosquitto accepts clients', () =>
      connectAsync(url, { ...login('storey'), clientId: 'probe', reconnectPeriod: 0 }).then(
        (client) => client.endAsync().then(() => true),
        () => false,
      ),
    )
  }
  const login = (username: keyof typeof PASSWORDS) => ({
    username,
    password: PASSWORDS[username],
    rejectUnauthorized: false,
  })
  async function stop(): Promise<void> {
    child?.kill('SIGTERM')
    await ended
  }
  const help = spawnSync(path, ['-h'], { encoding: 'utf8', env: environment })
  return {
    version: /version ([\d.]+)/.exec(help.stdout + help.stderr)![1]!,
    url,
    authority: authority.certificate,
    start,
    stop,
    grant(topic) {
      const example = 'svc/example-organization/example-site/example-building/telemetry'
      writeDeployFile('mosquitto/acl', at('acl'), { [example]: topic })
      child!.kill('SIGHUP')
    },
    async remove() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
