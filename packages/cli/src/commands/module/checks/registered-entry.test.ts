import type { Manifest } from '@storey/contract'
import { afterEach, expect, it } from 'vitest'
import { builtEntryText, ENTRY, type RemoteServer, serveGibberish, serveRemote } from '../testing/remote-server.ts'
import { fail } from './check.ts'
import { entryOf } from './registered-entry.ts'
import type { Finding } from './sandbox-to-check.ts'

const REGISTERED = 'http://localhost:6002/assets/remoteEntry.js'
const manifest = { slug: 'air-quality', name: 'Air quality', version: '0.1.0', sdkVersion: '1.14.0' } as Manifest
const sandbox = {
  ...{ state: 'found', reference: undefined, buildingId: 'b-1', consoleUrl: 'http://lab.localhost:4000' },
  client: { modules: { get: async () => ({ remoteEntryUrl: REGISTERED }) } },
} as unknown as Finding

const open: RemoteServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

/** The result of `fixPort` if nothing listens at the registered address and `server` is at the default address. */
async function fixedPort(server: RemoteServer, built?: string) {
  open.push(server)
  const { remoteEntryUrl, fixPort } = await entryOf({ sandbox, manifest, named: undefined, built }, server.entry)
  expect(remoteEntryUrl).toBe(REGISTERED)
  return fixPort(fail('port', 'nothing listens on port 6002', 'npm run serve:remote'))
}
const serving = (body: string) => serveRemote({ [ENTRY]: { body } })

it('[CLI-40] suggests to install with the default address if the module is served there', async () => {
  const server = await serving(builtEntryText('air_quality'))
  const { found, fix } = await fixedPort(server)
  expect(found).toContain('this module is served on port 6001')
  expect(fix).toBe(`svc sandbox install manifest.json --remote-entry=${server.entry}`)
  // The build of this project counts as this module even if the build has a wrong federation name.
  const misnamed = await serving(builtEntryText('water_meter'))
  expect((await fixedPort(misnamed, builtEntryText('water_meter'))).fix).toContain('svc sandbox install')
})

it.each([
  ['another module', () => serving(builtEntryText('water_meter'))],
  ['a server without a remote entry', () => serveRemote({})],
  ['a server that is not a web server', serveGibberish],
])('[CLI-40] does not suggest to install with the default address if %s uses that address', async (_, serve) => {
  const { found, fix } = await fixedPort(await serve(), builtEntryText('air_quality'))
  expect(found).toBe(`nothing listens on port 6002 (the sandbox has registered ${REGISTERED})`)
  expect(fix).toBe('serve the module at that address')
})

it('[CLI-40] suggests both addresses if nothing listens at the default one', async () => {
  const server = await serveRemote({})
  await server.close()
  const { fix } = await fixedPort({ ...server, close: async () => undefined })
  expect(fix).toMatch(/^serve the module at that address, or serve it on port 6001 and run svc sandbox install/)
})
