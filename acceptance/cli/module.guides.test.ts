import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, call } from '../system/call.ts'
import { npmSettings } from '../system/npm-settings.ts'
import { api, newDeveloper, newSandbox, systemUrl } from '../system/shared.ts'
import { execute, newHome, svc } from './tool.ts'

const REMOTE_PORT = 6001
const bare = temporaryFolder('storey-module')
const project = join(bare, 'air-quality')
const manifestFile = join(project, 'manifest.json')
const home = newHome()

let env: Record<string, string>
let key: string
let sandboxId: string
let connection: Answer['json']
let server: ChildProcess | undefined

/** Long, because npm may have an empty cache and a slow registry. */
const INSTALL_LIMIT_MS = 300_000

const svcIn = (cwd: string, ...words: string[]) => svc(words, { cwd, env, limitMs: INSTALL_LIMIT_MS })
const npm = (...words: string[]) => execute('npm', words, { cwd: project, env })

/** Runs `svc module doctor`. Returns its exit code, the states that are not ok, and what each check found. */
async function doctor(...args: string[]) {
  const { code, stdout } = await svcIn(project, 'module', 'doctor', '--format=json', ...args)
  const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; found: string }[] }
  const notOk = Object.fromEntries(checks.filter(({ state }) => state !== 'ok').map(({ name, state }) => [name, state]))
  return { code, notOk, found: Object.fromEntries(checks.map(({ name, found }) => [name, found])) }
}

/** The states that are not ok for a healthy module when no sandbox is given. */
const HEALTHY_WITHOUT_SANDBOX = { platform: 'skipped', registry: 'skipped', licence: 'skipped', browser: 'note' }

const manifest = () => JSON.parse(readFileSync(manifestFile, 'utf8'))
const row = () => call(`${connection.apiUrl}/api/v1/registry/modules/air-quality`, { token: connection.token })

async function occupyPort(): Promise<Server> {
  const holder = createServer((_, response) => response.writeHead(404).end())
  await new Promise<void>((resolve, reject) => {
    holder.once('error', () =>
      reject(new Error(`port ${REMOTE_PORT} is in use, but this suite needs it: stop the process that uses it`)),
    )
    holder.listen(REMOTE_PORT, 'localhost', resolve)
  })
  return holder
}
const release = (holder: Server) => new Promise((resolve) => holder.close(resolve))

beforeAll(async () => {
  await release(await occupyPort())
  key = (await newDeveloper()).key
  env = {
    ...home,
    SVC_SANDBOX_API_URL: systemUrl,
    SVC_API_TOKEN: key,
    ...npmSettings(),
    // Reuses npm's cache.
    npm_config_prefer_offline: 'true',
  }
  const [created, sandbox] = await Promise.all([
    svcIn(bare, 'module', 'create', 'air-quality', '--name=Air quality'),
    newSandbox(key),
  ])
  expect(created.code, created.stderr).toBe(0)
  expect(created.stderr).toMatch(/^Created air-quality in .*\. Installing its packages\.\n$/)
  expect(created.stdout).toContain('npm run dev:remote')
  sandboxId = sandbox.record.sandboxId
  connection = sandbox.connection
}, INSTALL_LIMIT_MS)

afterAll(async () => {
  await stopServing()
  await api(key, `/api/v1/sandboxes/${sandboxId}`, { method: 'DELETE' })
})

/** npm starts a shell that starts Vite, so the whole process group is stopped. */
async function stopServing(): Promise<void> {
  if (server?.pid === undefined || server.exitCode !== null) return
  const ended = new Promise((resolve) => server!.once('exit', resolve))
  process.kill(-server.pid, 'SIGTERM')
  await ended
  server = undefined
  // npm may exit before the processes that it started.
  await expect.poll(() => occupyPort().then(release, () => 'taken')).not.toBe('taken')
}

async function serve(script: string, ...words: string[]): Promise<void> {
  const child = spawn('npm', ['run', script, ...words], { cwd: project, env, detached: true })
  server = child
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}:\n${output}`)))
    const onOutput = (text: string) => {
      output += text
      if (output.includes('Local:')) resolve()
    }
    child.stdout.setEncoding('utf8').on('data', onOutput)
    child.stderr.setEncoding('utf8').on('data', onOutput)
  })
}

describe('a module that is created in an empty folder', () => {
  it('[CLI-35] builds, and passes its own test and the type check', async () => {
    const [build, types] = [await npm('run', 'build'), await npm('run', 'typecheck')]
    expect(build, build.stderr).toMatchObject({ code: 0 })
    expect(types, types.stdout).toMatchObject({ code: 0 })
    const test = await npm('test')
    expect(test, test.stdout).toMatchObject({ code: 0, stdout: expect.stringMatching(/1 passed/) })
  })

  it('contains neither React nor the SDK in its build', () => {
    const assets = join(project, 'dist', 'assets')
    const files = readdirSync(assets).map((file) => join(assets, file))
    const text = files.map((file) => readFileSync(file, 'utf8')).join('\n')
    expect(text).not.toContain('react.dev/errors')
    expect(text).not.toContain('There is no platform here')
    expect(files.reduce((bytes, file) => bytes + statSync(file).size, 0)).toBeLessThan(150_000)
  })

  it('[CLI-35, VER-03] has a registry row once it is installed', async () => {
    const installed = await svcIn(project, 'sandbox', 'install', 'manifest.json', `--sandbox=${sandboxId}`)
    expect(installed, installed.stderr).toMatchObject({ code: 0 })
    const { version } = JSON.parse(readFileSync('packages/cli/package.json', 'utf8'))
    expect((await row()).json).toMatchObject({
      slug: 'air-quality',
      name: 'Air quality',
      sdkVersion: version,
      compatible: true,
      federationName: 'air_quality',
      exposeName: './Shell',
      remoteEntryUrl: `http://localhost:${REMOTE_PORT}/assets/remoteEntry.js`,
    })
  })

  it('is created without installing its packages if --no-install is given, and is reported as JSON', async () => {
    const words = ['module', 'create', 'air-quality', '--dir=other', '--no-install', '--format=json']
    const { code, stdout, stderr } = await svcIn(bare, ...words)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { folder, installed, files } = JSON.parse(stdout)
    expect({ folder, installed }).toEqual({ folder: join(bare, 'other'), installed: false })
    expect(readdirSync(folder, { recursive: true })).toEqual(expect.arrayContaining(files))
    expect(readdirSync(folder)).not.toContain('node_modules')
  })

  it('is not overwritten: a second module cannot be created in its folder', async () => {
    const again = await svcIn(bare, 'module', 'create', 'air-quality', '--no-install')
    expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('.gitignore') })
  })
})

describe('serving and checking a module', () => {
  it('[CLI-36] the doctor reports that nothing listens on the port, or that another program does', async () => {
    expect((await doctor()).found).toMatchObject({ port: `nothing listens on port ${REMOTE_PORT}` })
    const holder = await occupyPort()
    const { code, notOk } = await doctor().finally(() => release(holder))
    expect({ code, notOk }).toMatchObject({ code: 1, notOk: { port: 'fail', 'remote-entry': 'fail' } })
  })

  it('[CLI-36, VER-04, SHL-14] the doctor finds nothing wrong with a module that serve:remote serves', async () => {
    await serve('serve:remote')
    const { code, notOk } = await doctor(`--sandbox=${sandboxId}`)
    expect({ code, notOk }).toEqual({ code: 0, notOk: { browser: 'note' } })
    expect((await doctor()).notOk).toEqual(HEALTHY_WITHOUT_SANDBOX)
  })

  it('[CLI-51] serve:remote reports in one sentence that its port is in use, and can serve on another port', async () => {
    await stopServing()
    const holder = await occupyPort()
    const taken = await npm('run', '--silent', 'serve:remote')
    expect(taken.code).toBe(1)
    expect(taken.stderr.trim().split('\n').at(-1)).toBe(
      `Port ${REMOTE_PORT} is already in use. Stop what runs there, or choose another port: npm run serve:remote -- --port 6002`,
    )
    expect(taken.stderr).not.toMatch(/^\s+at /m)
    await release(holder)
    await serve('serve:remote', '--', '--port', '6047')
    expect((await fetch('http://localhost:6047/assets/remoteEntry.js')).status).toBe(200)
    await stopServing()
    await serve('serve:remote')
  })

  it('[CLI-36] the doctor reports errors in the manifest, and a slug that differs from the name of the build', async () => {
    const good = manifest()
    writeFileSync(manifestFile, JSON.stringify({ ...good, buildingTypes: ['castle'] }))
    expect((await doctor()).notOk).toMatchObject({ manifest: 'fail' })
    writeFileSync(manifestFile, JSON.stringify({ ...good, slug: 'water-meter' }))
    const { notOk, found } = await doctor(`--sandbox=${sandboxId}`)
    writeFileSync(manifestFile, JSON.stringify(good))
    expect(notOk).toMatchObject({ 'federation-name': 'fail', registry: 'fail' })
    expect(found['federation-name']).toBe('the entry is named air_quality, not water_meter')
  })

  it('[CLI-36] the doctor reports a registry row with another address, and a missing row', async () => {
    const elsewhere = '--remote-entry=http://localhost:7001/x.js'
    await svcIn(project, 'sandbox', 'install', 'manifest.json', `--sandbox=${sandboxId}`, elsewhere)
    const served = `--remote-entry=http://localhost:${REMOTE_PORT}/assets/remoteEntry.js`
    expect((await doctor(`--sandbox=${sandboxId}`, served)).notOk).toEqual({ registry: 'fail', browser: 'note' })
    // Without the option the doctor checks the registered address, where nothing listens.
    expect((await doctor(`--sandbox=${sandboxId}`)).notOk).toMatchObject({ port: 'fail' })
    await call(`${connection.apiUrl}/api/v1/registry/modules/air-quality`, {
      method: 'DELETE',
      token: connection.token,
    })
    expect((await doctor(`--sandbox=${sandboxId}`)).notOk).toMatchObject({ registry: 'fail', licence: 'skipped' })
  })

  it('[VER-04] dev:remote rebuilds and serves the module after a change', async () => {
    await stopServing()
    await serve('dev:remote')
    expect((await doctor()).notOk).toEqual(HEALTHY_WITHOUT_SANDBOX)
    const source = join(project, 'src', 'Shell.tsx')
    writeFileSync(source, readFileSync(source, 'utf8').replace('has no sensors', 'is a cave'))
    const assets = join(project, 'dist', 'assets')
    const built = () => readdirSync(assets).map((file) => readFileSync(join(assets, file), 'utf8'))
    await expect.poll(() => built().some((text) => text.includes('is a cave'))).toBe(true)
  })

  it('[CLI-36] the doctor distinguishes a dev server from a build', async () => {
    await stopServing()
    const dev = spawn(process.execPath, ['node_modules/vite/bin/vite.js', '--port', String(REMOTE_PORT)], {
      cwd: project,
      env,
    })
    await new Promise<void>((resolve) => {
      dev.stdout.setEncoding('utf8').on('data', (text: string) => text.includes('Local:') && resolve())
    })
    const { notOk, found } = await doctor().finally(() => dev.kill())
    expect(notOk).toMatchObject({ 'remote-entry': 'fail' })
    expect(found['remote-entry']).toContain("Vite's dev server")
  })
})
