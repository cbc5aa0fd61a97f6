import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { processes } from '../system/processes.ts'
import { actorsAt, startInstalled } from '../system/shared.ts'
import { freePort, type SystemOptions, startSystem } from '../system/system.ts'

const newFolder = () => temporaryFolder('storey-start')

/** The output of a start that must fail. */
async function startError(options: SystemOptions): Promise<string> {
  const failed = await startSystem(options).then(
    async (system) => {
      await system.remove()
      return 'it started'
    },
    (err: Error) => err.message,
  )
  return failed.replace(/^.*\n/, '').trim()
}

/** Every process whose command line contains this data folder. */
const processesOf = (dataDir: string) => processes().filter(({ args }) => args.includes(dataDir))

describe('starting', () => {
  it('[HST-17, HST-55] creates a demo developer with a password that only the owner can read, and keeps its data across restarts', async () => {
    const first = await startSystem()
    const { operator, newSandbox, api } = actorsAt(first)
    const password = readFileSync(join(first.dataDir, 'demo-password'), 'utf8').trim()
    expect(statSync(join(first.dataDir, 'demo-password')).mode & 0o777).toBe(0o600)
    expect(statSync(join(first.dataDir, 'master-secret')).mode & 0o777).toBe(0o600)
    expect(first.output()).toContain(password)
    expect(first.output()).toContain('developer@example.com')
    const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
    const { record, connection } = await newSandbox(key)
    await call(`${record.apiUrl}/healthz`)
    expect(processesOf(first.dataDir).length).toBeGreaterThan(0)
    expect(await first.stop()).toBe(0)
    expect(processesOf(first.dataDir)).toEqual([])

    const port = Number(new URL(first.url).port)
    const second = await startSystem({ dataDir: first.dataDir, port })
    expect(second.output()).toContain(password)
    expect((await api(key, `/api/v1/sandboxes/${record.sandboxId}`)).json.status).toBe('ready')
    const buildings = await call(`${connection.apiUrl}/api/v1/buildings`, { token: connection.token })
    expect(buildings.json.total).toBe(1)
    await second.remove()
  })

  it('ends every process on Ctrl-C, which a terminal sends to the whole process group', async () => {
    const dataDir = newFolder()
    const port = await freePort()
    const { PATH, HOME } = process.env
    const env = { PATH, HOME, PORT: String(port), DATA_DIR: dataDir, METRICS_PORT: '0' }
    const child = spawn('npm', ['start'], { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
    await new Promise<void>((resolve) =>
      child.stdout.on('data', (text) => String(text).includes('is ready.') && resolve()),
    )
    const actors = actorsAt({ url: `http://localhost:${port}`, env })
    const key = await actors.operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
    const { record } = await actors.newSandbox(key)
    expect((await call(`${record.apiUrl}/healthz`)).status).toBe(200)
    const ended = new Promise((resolve) => child.once('exit', resolve))
    process.kill(-child.pid!, 'SIGINT')
    await ended
    await expect.poll(() => processesOf(dataDir)).toEqual([])
  })

  it('reports in one sentence that the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const error = await startError({ port, dataDir: newFolder() })
    expect(error).toBe(`storey: Port ${port} is already in use. Stop the other program, or set PORT to another port.`)
    other.close()
  })

  it('reports in one sentence that the data folder is damaged', async () => {
    const dataDir = newFolder()
    mkdirSync(join(dataDir, 'postgres'))
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '18\n')
    writeFileSync(join(dataDir, 'master-secret'), 'a secret\n')
    const error = await startError({ dataDir })
    expect(error).toMatch(
      /^storey: The data folder .* is damaged: .* is missing\. Restore it from a backup, or remove .*\.$/,
    )
  })

  it('reports in one sentence that the data folder is a file', async () => {
    const file = join(newFolder(), 'file')
    writeFileSync(file, '')
    expect(await startError({ dataDir: file })).toMatch(
      /^storey: The data folder .* cannot be used: it is a file\. .*\.$/,
    )
  })

  it.runIf(process.platform === 'linux')('reports in one sentence that the data folder is not writable', async () => {
    // Not even root can create a folder in /sys.
    const error = await startError({ dataDir: '/sys/storey' })
    expect(error).toMatch(/^storey: The data folder .* cannot be used: permission denied\. .*\.$/)
  })

  it('[HST-08, HST-50, HST-51] serves metrics on the internal port only, and reports that another service uses the folder or the port, and that the folder was deleted', async () => {
    const metricsPort = await freePort()
    const system = await startInstalled({ env: { METRICS_PORT: String(metricsPort) } })
    const metrics = await call(`http://localhost:${metricsPort}/metrics`)
    expect(metrics.headers['content-type']).toContain('text/plain')
    expect(metrics.text).toMatch(/^storey_sandboxes\{status="ready"\} 0$/m)
    expect((await call(`${system.url}/metrics`)).status).toBe(404)

    const error = await startError({ dataDir: system.dataDir })
    expect(error).toMatch(
      /^storey: Another Storey process uses the data folder .* \(process \d+\)\. Stop it, or set DATA_DIR\.$/,
    )
    const port = Number(new URL(system.url).port)
    expect(await startError({ port, dataDir: newFolder() })).toMatch(
      /^storey: Storey is already running at http:\/\/localhost:\d+\. Stop it first, .*\.$/,
    )

    // Deletes the folder while the service runs.
    rmSync(system.dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    await expect
      .poll(() => system.output())
      .toMatch(/^storey: The data folder .* was deleted while Storey was running/m)
    await expect.poll(() => processesOf(system.dataDir)).toEqual([])
    await system.remove()
  })

  it('[HST-10, HST-12, STK-11] names all wrong settings in one message', async () => {
    const env = {
      PORT: 'many',
      MODE: 'demo',
      DATABASE_URL: 'mysql://secret@example.com',
      STACK_RUNTIME: 'vm',
      STACK_IDLE_MINUTES: '-1',
      LOG_LEVEL: 'loud',
      PUBLIC_URL: 'ftp://x',
    }
    const error = await startError({ env, dataDir: newFolder() })
    for (const name of Object.keys(env)) expect(error).toContain(`storey: ${name} must`)
    expect(error).not.toContain('secret')
  })

  it('[HST-13] refuses production without MASTER_SECRET', async () => {
    expect(await startError({ env: { MODE: 'production' }, dataDir: newFolder() })).toContain(
      'MASTER_SECRET is required in production',
    )
  })
})
