import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:https'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { selfSigned } from '../../packages/kit/src/outbound/testing/certificate.ts'
import { processes } from '../system/processes.ts'
import { operatorAnswer } from '../system/shared.ts'
import { freePort, type System, startSystem } from '../system/system.ts'
import { startTlsProxy } from '../system/tls-proxy.ts'

interface Finding {
  level: 'ok' | 'warning' | 'problem'
  area: string
  text: string
  advice?: string
}

interface Ended {
  code: number
  output: string
}

/** Runs the command in the operator server, without a process of its own. */
async function doctor(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> {
  const { code, stdout, stderr } = await operatorAnswer(env, 'doctor', ...args)
  return { code, output: stdout + stderr }
}

/** Runs the real command. An exit code other than 0 is a result here, not an error. */
function doctorCommand(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const command = ['packages/host/src/operator/main.ts', 'doctor', ...args]
    execFile(process.execPath, command, { env }, (err, stdout, stderr) =>
      resolve({ code: err ? Number(err.code) : 0, output: stdout + stderr }),
    )
  })
}

async function diagnosis(env: NodeJS.ProcessEnv, run = doctor) {
  const { code, output } = await run(env, '--json')
  const { findings } = JSON.parse(output) as { findings: Finding[] }
  return { code, findings, notOk: findings.filter(({ level }) => level !== 'ok').map(({ text }) => text) }
}

const AREAS = ['brokers', 'data folder', 'database', 'identity', 'network', 'sandboxes', 'service', 'settings']
const areasOf = (findings: readonly Finding[]) => [...new Set(findings.map(({ area }) => area))].sort()

describe('the doctor', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem()
  })
  afterAll(() => system.remove())

  it('[OPR-09] finds no problem in a new installation, and prints a line for each check', async () => {
    const { code, output } = await doctorCommand(system.env)
    expect(output).toMatch(/^ok +service +the service runs, process \d+$/m)
    expect(output).toMatch(/^ok +identity +developers may sign in with the client svc-portal$/m)
    expect(output).toMatch(/^ok +identity +the client svc-cli gets device codes$/m)
    expect(output).toMatch(/^ok +database +the control database has the newest schema$/m)
    expect(output).toMatch(/problems: 0, warnings: \d+, ok: \d+\n$/)
    expect(code).toBe(output.includes('warnings: 0') ? 0 : 1)
    expect(areasOf((await diagnosis(system.env)).findings)).toEqual(AREAS)
  })

  it('[OPR-09, OPR-11] reports a secret that other users may read, and prints no secret', async () => {
    const secret = join(system.dataDir, 'master-secret')
    chmodSync(secret, 0o644)
    const { code, output } = await doctor(system.env)
    chmodSync(secret, 0o600)
    expect(code).toBe(2)
    expect(output).toContain(`other users may read ${secret} → chmod 600 ${secret}`)
    for (const name of ['master-secret', 'demo-password'])
      expect(output).not.toContain(readFileSync(join(system.dataDir, name), 'utf8').trim())
  })

  it('[OPR-10, OPR-11] continues while the database is unreachable, and repeats no password', async () => {
    const env = {
      ...system.env,
      DATABASE_URL: 'postgres://storey:hunter22@127.0.0.1:1/storey',
      NATS_URL: 'nats://user:hunter33@127.0.0.1:1',
      MQTT_ENABLED: 'true',
      MQTT_URL: 'mqtt://127.0.0.1:1',
      MQTT_USERNAME: 'storey',
      MQTT_PASSWORD: 'hunter44',
      MASTER_SECRET: 'hunter55hunter55hunter55hunter55',
      PORT: 'hunter',
    }
    const { code, output } = await doctor(env)
    expect(code).toBe(2)
    expect(output).toContain('the database cannot be reached: connect ECONNREFUSED 127.0.0.1:1')
    expect(output).toContain('PORT must be a whole number')
    for (const area of AREAS.filter((name) => name !== 'sandboxes'))
      expect(output).toMatch(new RegExp(`^\\w+ +${area} `, 'm'))
    expect(output).not.toMatch(/hunter\d/)
  })

  it('[OPR-10] works while the service is stopped, and leaves no process', async () => {
    await system.stop()
    const { code, findings, notOk } = await diagnosis(system.env, doctorCommand)
    expect(code).toBe(1)
    expect(notOk).toContain('the service is not running')
    expect(findings.map(({ text }) => text)).toContain('the control database has the newest schema')
    expect(processes().filter(({ args }) => args.includes(system.dataDir))).toEqual([])
    system = await startSystem({ dataDir: system.dataDir, port: Number(new URL(system.url).port) })
    await system.kill9()
    await expect.poll(() => processes().filter(({ args }) => args.includes(system.dataDir))).toEqual([])
    expect((await diagnosis(system.env)).notOk).toContain('storey.pid is left from a service that was killed')
  })

  it('[OPR-11] creates no installation', async () => {
    const missing = join(temporaryFolder('storey-doctor'), 'missing')
    const { code, notOk } = await diagnosis({ ...system.env, DATA_DIR: missing })
    expect(code).toBe(2)
    expect(notOk).toContain(`no service has used ${missing} yet`)
    expect(existsSync(missing)).toBe(false)
  })
})

describe('the doctor of an installation behind a proxy', () => {
  let [tlsPort, port] = [0, 0]
  let system: System | undefined
  let proxy: Server | undefined
  beforeAll(async () => {
    tlsPort = await freePort()
    port = await freePort()
    const env = {
      PUBLIC_URL: `https://localhost:${tlsPort}`,
      BASE_DOMAIN: 'boxes.localhost',
      TRUSTED_PROXIES: '127.0.0.1',
      METRICS_PORT: String(await freePort()),
    }
    system = await startSystem({ port, env })
  })
  afterEach(() => new Promise<unknown>((resolve) => (proxy ? proxy.close(resolve) : resolve(undefined))))
  afterAll(() => system?.remove())

  it('[OPR-09] reports that fewer connections are available than the running service has planned', async () => {
    const about = async (env: NodeJS.ProcessEnv) =>
      (await diagnosis({ ...system!.env, ...env })).notOk.filter((text) => text.includes('has planned'))
    expect(await about({})).toEqual([])
    expect(await about({ DATABASE_CONNECTIONS: '30' })).toEqual([
      expect.stringMatching(/^the running service has planned \d+ connections for stacks, but only 16 are available/),
    ])
  })

  it.each([
    [200, undefined],
    [10, /^the certificate of (localhost|\*\.boxes\.localhost) expires in \d+ days$/],
  ])('[OPR-09] checks names, proxy and a certificate that is valid for %d days', async (days, finding) => {
    const validUntil = new Date(Date.now() + days * 86_400_000)
    const certificate = selfSigned({ names: ['localhost', '*.boxes.localhost'], addresses: ['127.0.0.1'], validUntil })
    const authority = join(temporaryFolder('storey-doctor'), 'authority.pem')
    writeFileSync(authority, certificate.cert)
    proxy = await startTlsProxy(tlsPort, port, certificate)
    const { findings } = await diagnosis({ ...system!.env, NODE_EXTRA_CA_CERTS: authority }, doctorCommand)
    const network = findings.filter(({ area }) => area === 'network')
    expect(network.filter(({ level }) => level === 'ok').map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        '*.boxes.localhost resolves to 127.0.0.1',
        `the proxy forwards https://localhost:${tlsPort} to the service`,
        'the proxy forwards the hosts of sandboxes',
      ]),
    )
    const warnings = network.filter(({ level }) => level === 'warning').map(({ text }) => text)
    expect(warnings).toContain('the proxy sends no Strict-Transport-Security header')
    const others = warnings.filter((text) => !text.includes('Strict-Transport'))
    if (finding === undefined) expect(others).toEqual([])
    else expect(others).toEqual([expect.stringMatching(finding), expect.stringMatching(finding)])
    expect(network.filter(({ level }) => level === 'problem')).toEqual([])
  })
})
