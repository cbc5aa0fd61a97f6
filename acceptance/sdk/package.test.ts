import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { beforeAll, describe, expect, it } from 'vitest'
import { npmSettings } from '../system/npm-settings.ts'
import { withPackingLock } from '../system/packing-lock.ts'
import { newDeveloper, newSandbox, systemUrl } from '../system/shared.ts'

const run = promisify(execFile)
const folder = temporaryFolder('storey-sdk')
const app = join(folder, 'app')
/** Variables that npm set for this test run must not affect the npm processes of the tests. */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|VITEST)/i.test(name))),
  ...npmSettings(),
}

const PROGRAM = `
import { apiKey, bearer, connectLive, createPlatformClient, createProvisioningClient, StoreyError } from '@storey/sdk'
const [url, key] = process.argv.slice(2)
const { sandboxes } = createProvisioningClient({ url, credential: apiKey(key) })
const [{ sandboxId }] = (await sandboxes.list()).data
const { apiUrl, token, buildingId } = await sandboxes.connection(sandboxId)
const credential = bearer(token)
const building = createPlatformClient({ url: apiUrl, credential }).building(buildingId)
const live = connectLive({ url: apiUrl, credential, buildingId })
await live.ready
const received = new Promise((resolve) => live.on('building.point.updated', resolve))
const [point] = (await building.points.list({ limit: 1 })).data
await building.telemetry.ingest([{ pointId: point.id, value: '7' }])
const { observations } = await received
live.close()
const rooms = await building.externalIdMap()
const missing = await sandboxes.get('sbx_none').catch((error) => error instanceof StoreyError && error.code)
console.log(JSON.stringify({ value: observations[0].value, rooms: rooms.size > 0, missing }))
`

const TYPED = `
import { bearer, createPlatformClient, type SpaceRecord } from '@storey/sdk'
const client = createPlatformClient({ url: 'http://x.localhost:4000', credential: bearer('x') })
export const spaces: AsyncGenerator<SpaceRecord> = client.building('b').spaces.listAll({ status: 'active' })
// @ts-expect-error There is no such status.
client.building('b').spaces.list({ status: 'demolished' })
// @ts-expect-error A value is a text.
client.building('b').telemetry.ingest([{ pointId: 'p', value: 7 }])
`

describe('the package in an empty folder', () => {
  let key: string
  beforeAll(async () => {
    // While npm installs the package, the system creates the sandbox that the programs use.
    const sandbox = newDeveloper().then(async (developer) => {
      await newSandbox(developer.key)
      return developer.key
    })
    const pack = ['pack', '-w', 'packages/sdk', '--json', '--loglevel=error', '--pack-destination', folder]
    const [{ filename }] = await withPackingLock(() => {
      const before = readFileSync('packages/sdk/package.json', 'utf8')
      const output = execFileSync('npm', pack, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
      expect(readFileSync('packages/sdk/package.json', 'utf8')).toBe(before)
      return JSON.parse(output.replace(/^[^[]*/, ''))
    })
    await run(
      'npm',
      ['install', '--prefix', app, '--prefer-offline', '--no-audit', '--no-fund', join(folder, filename)],
      {
        env,
      },
    )
    const manifest = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))
    writeFileSync(join(app, 'package.json'), JSON.stringify({ ...manifest, type: 'module' }))
    writeFileSync(join(app, 'program.js'), PROGRAM)
    writeFileSync(join(app, 'typed.ts'), TYPED)
    key = await sandbox
  })

  it('works with the Node of this repository and with the Node of the machine', async () => {
    const args = [join(app, 'program.js'), systemUrl, key]
    const results = await Promise.all([process.execPath, 'node'].map((node) => run(node, args, { env })))
    for (const { stdout } of results) {
      expect(JSON.parse(stdout)).toEqual({ value: '7', rooms: true, missing: 'NOT_FOUND' })
    }
  })

  it.each(Object.entries({ nodenext: 'nodenext', bundler: 'esnext' }))(
    'has self-contained types for moduleResolution %s',
    async (moduleResolution, module) => {
      const project = join(app, `tsconfig.${moduleResolution}.json`)
      const lib = ['es2022', 'dom', 'dom.iterable']
      const compilerOptions = { strict: true, noEmit: true, target: 'es2022', lib, types: [], module, moduleResolution }
      writeFileSync(project, JSON.stringify({ compilerOptions, files: ['typed.ts'] }))
      const { stdout } = await run('node_modules/.bin/tsc', ['-p', project]).catch((error) => error)
      expect(stdout).toBe('')
    },
  )

  it('refers only to files that it contains', () => {
    const root = join(app, 'node_modules', '@storey', 'sdk')
    const { exports, imports, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const files = JSON.stringify(exports)
      .match(/"\.\/[^"]*\.(js|ts|json)"/g)!
      .map((text) => JSON.parse(text))
    expect(files.length).toBeGreaterThan(6)
    for (const file of files) expect(readFileSync(join(root, file), 'utf8')).not.toContain('@storey/contract')
    expect([imports, Object.keys(dependencies)]).toEqual([undefined, ['socket.io-client']])
  })
})
