import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { freePort } from '../../acceptance/system/system.ts'
import { createAuthority } from '../certificates.ts'
import { writeDeployFile } from '../deploy-file.ts'
import { cacheFolder, EngineMissing } from '../fetch/cache.ts'
import { mavenDistribution } from '../fetch/maven.ts'
import { createPostgres } from '../postgres/server.ts'

export const KEYCLOAK_VERSION = '26.7.3'
export const BOOTSTRAP = { username: 'admin', password: 'bootstrap-of-this-run' }
const POSTGRES_VERSION = '18.4.0-beta.17'
const READY_LIMIT_MS = 400_000

/** A real Keycloak with the realms of `deploy/keycloak`. */
export interface Keycloak {
  url: string
  issuers: { developers: string; sandboxes: string }
  /** The certificate of the private authority that signed Keycloak's certificate; absent without TLS. */
  authority?: string
  start(): Promise<void>
  kill(): Promise<void>
  remove(): Promise<void>
  /**
   * Gets a token of the realm for sandboxes by client credentials. If Keycloak refuses, throws an error with its
   * answer.
   */
  machineToken(clientId: string, secret: string): Promise<string>
}

export type KeycloakVariant = 'development' | 'production'

/**
 * Starts Keycloak for a Storey at this address, in development mode or in production mode with TLS and a PostgreSQL.
 * The data of an earlier run is removed first.
 */
export async function startKeycloak(storeyUrl: string, variant: KeycloakVariant): Promise<Keycloak> {
  const home = installed(variant)
  const data = join(home, 'data')
  rmSync(data, { recursive: true, force: true })
  mkdirSync(join(data, 'import'), { recursive: true })
  const at = (file: string) => join(data, 'import', file)
  writeDeployFile('keycloak/developers-realm.json', at('developers-realm.json'), {
    'https://storey.example.com': storeyUrl,
  })
  writeDeployFile('keycloak/sandboxes-realm.json', at('sandboxes-realm.json'), {})
  const [port, managementPort] = [await freePort(), await freePort()]
  const mode = variant === 'production' ? await production(home, port) : development(port)
  const { url } = mode
  let child: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()
  let output = ''

  async function start(): Promise<void> {
    const args = [...mode.command, '--import-realm', '--http-host=127.0.0.1']
    const env = {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: BOOTSTRAP.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: BOOTSTRAP.password,
    }
    // The script starts Java. Both are in a process group of their own, so that `kill` ends both.
    const started = spawn(join(home, 'bin', 'kc.sh'), [...args, `--http-management-port=${managementPort}`], {
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    ended = new Promise((resolve) => started.once('exit', resolve))
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (text) => (output += text))
    for (const deadline = Date.now() + READY_LIMIT_MS; Date.now() < deadline; await sleep(250)) {
      if (started.exitCode !== null) throw new Error(`Keycloak ended:\n${output.slice(-3_000)}`)
      const answer = await fetch(`${url}/realms/sandboxes/.well-known/openid-configuration`).catch(() => undefined)
      if (answer?.ok) return
    }
    throw new Error(`Keycloak does not respond:\n${output.slice(-3_000)}`)
  }

  async function kill(): Promise<void> {
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGKILL')
      await ended
    }
  }

  async function machineToken(clientId: string, secret: string): Promise<string> {
    const answer = await fetch(`${url}/realms/sandboxes/protocol/openid-connect/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    const body = (await answer.json()) as { access_token?: string }
    if (body.access_token === undefined) throw new Error(JSON.stringify(body))
    return body.access_token
  }

  await start()
  const issuers = { developers: `${url}/realms/developers`, sandboxes: `${url}/realms/sandboxes` }
  return {
    ...{ url, issuers, start, kill, machineToken },
    ...(mode.authority === undefined ? {} : { authority: mode.authority }),
    async remove() {
      await kill()
      await mode.remove?.()
    },
  }
}

interface Mode {
  url: string
  /** The command and its options. */
  command: string[]
  authority?: string
  remove?(): Promise<void>
}

function development(port: number): Mode {
  const url = `http://127.0.0.1:${port}`
  return { url, command: ['start-dev', `--http-port=${port}`, `--hostname=${url}`] }
}

/** The configuration of `deploy/keycloak/keycloak.conf`. */
async function production(home: string, port: number): Promise<Mode> {
  const url = `https://localhost:${port}`
  const folder = mkdtempSync(join(tmpdir(), 'storey-keycloak-'))
  const authority = createAuthority(folder)
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(authority.certificate, 'utf8')])
  const { certificate, key } = authority.issue('server', ['localhost', '127.0.0.1'])
  const database = await createPostgres(POSTGRES_VERSION)
  await database.start()
  await database.ask("create role keycloak login password 'keycloak'")
  await database.ask('create database keycloak owner keycloak')
  writeDeployFile('keycloak/keycloak.conf', join(home, 'conf', 'keycloak.conf'), {
    'https://id.example.com': url,
    'https-port=8443': `https-port=${port}`,
    '/etc/keycloak/tls/server.pem': certificate,
    '/etc/keycloak/tls/server.key': key,
    '127.0.0.1:5432': `localhost:${database.port}`,
    '/etc/keycloak/tls/ca.pem': database.authority.certificate,
    'change-me': 'keycloak',
  })
  return {
    ...{ url, command: ['start'], authority: authority.certificate },
    async remove() {
      await database.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Returns the folder of Keycloak. The first start builds the server in this folder, which takes minutes, so it is kept.
 */
function installed(variant: KeycloakVariant): string {
  if (spawnSync('java', ['-version']).error) throw new EngineMissing('java is required, but it is not on the PATH')
  const distribution = mavenDistribution(`org.keycloak:keycloak-quarkus-dist:${KEYCLOAK_VERSION}:zip`)
  const folder = cacheFolder('keycloak', KEYCLOAK_VERSION)
  const [home, done] =
    variant === 'production'
      ? [join(folder, 'home-production'), join(folder, 'done-production')]
      : [join(folder, 'home'), join(folder, 'done')]
  if (!existsSync(done)) {
    cpSync(distribution, home, { recursive: true })
    writeFileSync(done, '')
  }
  return home
}
