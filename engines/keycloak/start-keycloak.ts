import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../acceptance/system/system.ts'
import { writeDeployFile } from '../deploy-file.ts'
import { cacheFolder, EngineMissing } from '../fetch/cache.ts'
import { mavenDistribution } from '../fetch/maven.ts'

export const KEYCLOAK_VERSION = '26.7.3'
export const BOOTSTRAP = { username: 'admin', password: 'bootstrap-of-this-run' }
const READY_LIMIT_MS = 400_000

/** A real Keycloak with the realms of `deploy/keycloak`. */
export interface Keycloak {
  url: string
  issuers: { developers: string; sandboxes: string }
  start(): Promise<void>
  kill(): Promise<void>
  /** Gets a token of the realm for sandboxes by client credentials; throws with the answer of Keycloak if it refuses. */
  machineToken(clientId: string, secret: string): Promise<string>
}

/** Starts Keycloak for a Storey at this address. Its data is removed first. */
export async function startKeycloak(storeyUrl: string): Promise<Keycloak> {
  const home = installed()
  const data = join(home, 'data')
  rmSync(data, { recursive: true, force: true })
  mkdirSync(join(data, 'import'), { recursive: true })
  const at = (file: string) => join(data, 'import', file)
  writeDeployFile('keycloak/developers-realm.json', at('developers-realm.json'), {
    'https://storey.example.com': storeyUrl,
  })
  writeDeployFile('keycloak/sandboxes-realm.json', at('sandboxes-realm.json'), {})
  const [port, managementPort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()
  let output = ''

  async function start(): Promise<void> {
    const args = ['start-dev', '--import-realm', '--http-host=127.0.0.1', `--http-port=${port}`, `--hostname=${url}`]
    const env = {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: BOOTSTRAP.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: BOOTSTRAP.password,
    }
    // The script starts Java, so both are a process group of their own.
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
  return { url, issuers, start, kill, machineToken }
}

/** The folder of a Keycloak. Its first start builds the server into it, which takes minutes, so it is kept. */
function installed(): string {
  if (spawnSync('java', ['-version']).error) throw new EngineMissing('java is required, but it is not on the PATH')
  const distribution = mavenDistribution(`org.keycloak:keycloak-quarkus-dist:${KEYCLOAK_VERSION}:zip`)
  const folder = cacheFolder('keycloak', KEYCLOAK_VERSION)
  const [home, done] = [join(folder, 'home'), join(folder, 'done')]
  if (!existsSync(done)) {
    cpSync(distribution, home, { recursive: true })
    writeFileSync(done, '')
  }
  return home
}
