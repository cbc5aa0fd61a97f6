import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { contentSecurityPolicy, openWebApp, openWebFiles } from './index.ts'

describe('a web app', () => {
  const folder = temporaryFolder('storey-web')
  const script = 'export const answer = 42'
  let server: Server
  let base: string

  beforeAll(async () => {
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>A page</title>')
    writeFileSync(join(folder, 'assets', 'app-abc.js'), script)
    writeFileSync(join(folder, 'assets', 'app-abc.js.br'), brotliCompressSync(script))
    const app = openWebApp(folder)
    writeFileSync(join(folder, 'viewer.js'), script)
    const files = openWebFiles(folder, { prefix: '/docs', entry: 'viewer.js' })
    const context = () => ({ config: { slug: 'tower' }, policy: contentSecurityPolicy({}) })
    server = createServer((request, response) => {
      if (!files.serve(request, response) && !app.serve(request, response, context))
        response.writeHead(404).end('somebody else')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.close()
  })

  const html = { accept: 'text/html,application/xhtml+xml' }

  it('serves its page at every path of the app, and browsers must revalidate the page on each use', async () => {
    for (const path of ['/', '/sandbox/board?x=1', '/history', '/assets/none']) {
      const answer = await fetch(base + path, { headers: html })
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-cache'])
      expect(await answer.text()).toContain('A page')
    }
  })

  it('does not handle paths of the API or of missing files, or page requests that do not accept HTML', async () => {
    expect((await fetch(`${base}/somewhere`)).status).toBe(404)
    for (const path of [
      '/api/v1/buildings',
      '/api',
      '/socket.io/',
      '/docs',
      '/realms/developers',
      '/healthz',
      '/x.js',
      '//other-host',
      '//[',
    ]) {
      expect((await fetch(base + path, { headers: html })).status).toBe(404)
    }
    expect((await fetch(base, { method: 'POST', headers: html })).status).toBe(404)
    expect((await fetch(`${base}/assets/..%2findex.html`, { headers: html })).status).toBe(404)
  })

  it('serves files with a hash in their name as immutable, compressed if accepted', async () => {
    const answer = await fetch(`${base}/assets/app-abc.js`, { headers: { 'accept-encoding': 'gzip, br' } })
    expect(answer.headers.get('cache-control')).toContain('immutable')
    expect(answer.headers.get('content-encoding')).toBe('br')
    expect(await answer.text()).toBe(script)
    const plain = await fetch(`${base}/assets/app-abc.js`, { headers: { 'accept-encoding': 'identity' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await plain.text()).toBe(script)
  })

  it('answers 304 when nothing has changed', async () => {
    const etag = (await fetch(base)).headers.get('etag')!
    const statusWith = async (tag: string) => (await fetch(base, { headers: { 'if-none-match': tag } })).status
    expect(await statusWith(etag)).toBe(304)
    expect(await statusWith(`"other", W/${etag}`)).toBe(304)
    expect(await statusWith('*')).toBe(304)
    expect(await statusWith('"other"')).toBe(200)
    expect(await statusWith('not a tag')).toBe(200)
  })

  it('answers 304 to a client that has the file in another content coding', async () => {
    const read = (headers: Record<string, string>) => fetch(`${base}/assets/app-abc.js`, { headers })
    const compressed = (await read({ 'accept-encoding': 'br' })).headers.get('etag')!
    const known = await read({ 'accept-encoding': 'identity', 'if-none-match': compressed })
    expect([known.status, known.headers.get('etag')]).toEqual([304, compressed])
  })

  it('gives its page a configuration, and a strict content security policy', async () => {
    const answer = await fetch(`${base}/config.json`)
    expect(await answer.json()).toEqual({ slug: 'tower' })
    const policy = answer.headers.get('content-security-policy')!
    expect(policy).toContain("script-src 'self';")
    expect(policy).not.toContain('unsafe')
  })

  it('serves other files below a prefix, and no page at the prefix itself', async () => {
    const [entry, asset] = await Promise.all(
      ['viewer.js', 'assets/app-abc.js'].map((name) => fetch(`${base}/docs/${name}`)),
    )
    expect([entry!.status, entry!.headers.get('cache-control'), await entry!.text()]).toEqual([200, 'no-cache', script])
    expect(asset!.headers.get('cache-control')).toContain('immutable')
    for (const path of [
      '/docs',
      '/docs/',
      '/docs/none.js',
      '/docs/config.json',
      '/docsviewer.js',
      '/docs/..%2fviewer.js',
    ])
      expect((await fetch(base + path, { headers: html })).status, path).toBe(404)
    expect((await fetch(`${base}/docs/viewer.js`, { method: 'POST' })).status).toBe(404)
  })

  it('is not opened if it was not built', () => {
    expect(() => openWebApp(tmpdir())).toThrow('npm run build')
  })
})
