import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, describe, expect, it } from 'vitest'
import { createAddresses } from '../addresses.ts'
import type { SandboxRow } from '../features/sandboxes/sandboxes.store.ts'
import { EMBEDDED_SIGN_IN } from '../sign-in-settings.ts'
import { openWebApps } from './web-apps.ts'

const folder = temporaryFolder('storey-web-apps')
writeFileSync(join(folder, 'index.html'), '<!doctype html><title>A page</title>')
writeFileSync(join(folder, 'reference.js'), 'export {}')
const addresses = createAddresses({
  publicUrl: new URL('http://localhost:4000'),
  baseDomain: 'localhost',
  aliases: ['127.0.0.1'],
})
const sandbox = {
  slug: 'tower',
  name: 'Tower',
  tenantId: 'org_1',
  buildingId: 'b',
  status: 'ready',
  migrationTarget: null,
  suspendedAt: null,
} as SandboxRow
let server: Server

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
})

/** The configuration of a sandbox's shell, and its content security policy. */
async function shellOf(moduleRoute: 'on' | 'off', row: Partial<SandboxRow> = {}, shellClientId?: string) {
  const apps = openWebApps({
    folders: { portal: folder, shell: folder, reference: folder },
    addresses,
    developersIssuer: 'http://localhost:4000/realms/developers',
    sandboxesIssuer: 'http://localhost:4000/realms/sandboxes',
    signIn: { ...EMBEDDED_SIGN_IN, shellClientId },
    claims: {},
    moduleRoute,
    maxActiveSandboxes: 3,
  })
  server = createServer((request, response) => apps.shell(request, response, { ...sandbox, ...row }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/config.json`)
  const policy = answer.headers.get('content-security-policy')!
  const directive = (name: string) => policy.split('; ').find((part) => part.startsWith(`${name} `))
  return { config: await answer.json(), directive }
}

describe('the shell of a sandbox', () => {
  it('gets the status of the sandbox, and no building while this status is not `ready`', async () => {
    for (const status of ['provisioning', 'failed'] as const) {
      expect((await shellOf('on', { status })).config).toMatchObject({ status, buildingId: null })
      await new Promise((resolve) => server.close(resolve))
    }
  })

  it('[SHL-40] gets no building while the sandbox is suspended', async () => {
    expect((await shellOf('on')).config).toMatchObject({ isSuspended: false, buildingId: 'b' })
    await new Promise((resolve) => server.close(resolve))
    const suspended = await shellOf('on', { suspendedAt: new Date() })
    expect(suspended.config).toMatchObject({ isSuspended: true, buildingId: null })
    await new Promise((resolve) => server.close(resolve))
  })

  it('[IDN-14] signs in with a client of its own, or with the one that all shells share at an external provider', async () => {
    expect((await shellOf('on')).config).toMatchObject({ clientId: 'shell-tower' })
    await new Promise((resolve) => server.close(resolve))
    expect((await shellOf('on', {}, 'svc-shell')).config).toMatchObject({ clientId: 'svc-shell' })
    await new Promise((resolve) => server.close(resolve))
  })

  it('[IDN-43] gets the slug of the sandbox, the names of the claims, and the scope and audience to request', async () => {
    expect((await shellOf('on')).config).toMatchObject({
      ...{ sandboxSlug: 'tower', scope: 'openid email profile', audience: null },
      ...{ rolesClaim: 'realm_access.roles', emailClaim: 'email', subjectClaim: 'sub' },
    })
    await new Promise((resolve) => server.close(resolve))
  })

  it('[SHL-07] [SHL-09] loads code from loopback if the module route is on, else only its own code', async () => {
    const loopback = 'http://localhost:* http://127.0.0.1:*'
    const on = await shellOf('on')
    expect(on.config).toMatchObject({ moduleRoute: 'on', apiUrl: 'http://tower.localhost:4000', buildingId: 'b' })
    expect(on.directive('script-src')).toBe(`script-src 'self' ${loopback}`)
    expect(on.directive('style-src')).toBe(`style-src 'self' ${loopback}`)
    await new Promise((resolve) => server.close(resolve))

    const off = await shellOf('off')
    expect(off.config).toMatchObject({ moduleRoute: 'off', buildingId: 'b' })
    expect(off.directive('script-src')).toBe("script-src 'self'")
    expect(off.directive('style-src')).toBe("style-src 'self'")
    expect(off.directive('connect-src')).toBe("connect-src 'self' http://localhost:4000 ws://tower.localhost:4000")
  })
})
