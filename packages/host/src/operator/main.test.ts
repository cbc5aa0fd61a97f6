import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { expect, it } from 'vitest'

/** Runs the doctor in a process of its own, and resolves with its output. */
function doctor(env: Record<string, string>): Promise<string> {
  const DATA_DIR = join(temporaryFolder('storey-operator'), 'missing')
  const command = [join(import.meta.dirname, 'main.ts'), 'doctor']
  return new Promise((resolve) => {
    execFile(process.execPath, command, { env: { DATA_DIR, ...env } }, (_, stdout, stderr) => resolve(stdout + stderr))
  })
}

it('[OPR-09] the doctor requests the provider through the proxy of its environment, as the service does', async () => {
  const requested: string[] = []
  const proxy = createServer((request, response) => {
    requested.push(request.url!)
    const issuer = 'http://provider.invalid/developers'
    response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys`, keys: [{ alg: 'RS256' }] }))
  })
  try {
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    const HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const output = await doctor({ HTTP_PROXY, DEVELOPERS_ISSUER: 'http://provider.invalid/developers' })
    expect(output).toMatch(
      /^ok +identity +the realm developers is http:\/\/provider\.invalid\/developers, with 1 signing/m,
    )
    expect(requested).toContain('http://provider.invalid/developers/.well-known/openid-configuration')
    expect(requested.filter((url) => !url.startsWith('http://provider.invalid/'))).toEqual([])
  } finally {
    proxy.close()
  }
})

it('[OPR-09] the doctor reports an invalid address of a proxy', async () => {
  expect(await doctor({ HTTPS_PROXY: 'nonsense' })).toMatch(/^problem +settings +HTTPS_PROXY must be /m)
})
