import { describe, expect, it } from 'vitest'
import { checkEntry } from './check-entry.ts'

const ENTRY = 'http://localhost:6001/assets/remoteEntry.js?t=1'
const DEV_CLIENT = 'http://localhost:6001/@vite/client'
const JS = 'text/javascript'

const respond = (status: number, type: string, text: string) => () =>
  new Response(text, { status, headers: { 'content-type': type } })

/** A fake network: an unknown URL has no server, and 'closed' is a server without CORS headers. */
const browser =
  (responses: Record<string, (() => Response) | 'closed'>) =>
  async (url: string, { mode }: RequestInit): Promise<Response> => {
    const found = responses[url]
    if (found === undefined || (found === 'closed' && mode !== 'no-cors')) throw new TypeError('Failed to fetch')
    return found === 'closed' ? Response.error() : found()
  }
const check = (responses: Parameters<typeof browser>[0]) =>
  checkEntry(ENTRY, { fetch: browser(responses), onBlocked: () => () => undefined })

/** A remote that redirects to `end`. If `end` is undefined, the redirect cannot be followed. */
const redirecting =
  (end: string | undefined) =>
  async (_: string, { redirect }: RequestInit): Promise<Response> => {
    if (redirect === 'manual') return { type: 'opaqueredirect' } as Response
    if (end === undefined) throw new TypeError('Failed to fetch')
    return Object.defineProperty(respond(200, JS, 'export{get,init}')(), 'url', { value: end })
  }

describe('checking a remote entry', () => {
  it('accepts a build, and reports its federation name if the code contains it', async () => {
    const build = respond(200, `${JS}; charset=utf-8`, 'import"./a-1f.js";export{get,init}')
    expect(await check({ [ENTRY]: build })).toEqual({ kind: 'ready', builtAs: undefined })
    const named = respond(200, JS, 'const a="__mfe_internal__air_board__mf_owner__1";export{get,init}')
    expect(await check({ [ENTRY]: named })).toEqual({ kind: 'ready', builtAs: 'air_board' })
  })

  it('[SHL-13] distinguishes a server that is down from one without CORS', async () => {
    expect(await check({})).toEqual({ kind: 'down' })
    expect(await check({ [ENTRY]: 'closed' })).toEqual({ kind: 'noCors' })
  })

  it('accepts a redirect only to this machine', async () => {
    const to = (end: string | undefined) =>
      checkEntry(ENTRY, { fetch: redirecting(end), onBlocked: () => () => undefined })
    expect(await to('http://127.0.0.1:6002/entry.js')).toEqual({ kind: 'ready' })
    expect(await to('http://192.0.2.7/entry.js')).toEqual({ kind: 'redirects', to: 'http://192.0.2.7/entry.js' })
    expect(await to(undefined)).toEqual({ kind: 'redirects', to: undefined })
  })

  it('detects a blocked redirect of a server without CORS', async () => {
    const onBlocked = (_: string, listener: () => void) => {
      listener()
      return () => undefined
    }
    expect(await checkEntry(ENTRY, { fetch: browser({}), onBlocked })).toEqual({ kind: 'redirects', to: undefined })
  })

  it('[SHL-13] detects a development server by its imports', async () => {
    const dev = respond(200, JS, 'import "/@vite/client"; import hot from "/node_modules/.vite/deps/react.js"')
    expect(await check({ [ENTRY]: dev })).toEqual({ kind: 'devServer' })
  })

  it('accepts a build that mentions a development server', async () => {
    const build = respond(200, JS, 'export const hint = "open /@vite/client, or import.meta.hot"; export { get, init }')
    expect(await check({ [ENTRY]: build })).toEqual({ kind: 'ready' })
  })

  it('[SHL-13] detects a development server without an entry by its client script', async () => {
    const responses = { [ENTRY]: respond(404, 'text/plain', ''), [DEV_CLIENT]: respond(200, JS, '') }
    expect(await check(responses)).toEqual({ kind: 'devServer' })
  })

  it('does not mistake an HTML page for a development server', async () => {
    const page = respond(200, 'text/html', '<!doctype html><title>Hello</title>')
    expect(await check({ [ENTRY]: page, [DEV_CLIENT]: page })).toEqual({
      kind: 'notJavaScript',
      contentType: 'text/html',
    })
  })

  it('reports a missing file', async () => {
    expect(await check({ [ENTRY]: respond(404, 'text/plain', 'no') })).toEqual({ kind: 'noEntry', status: 404 })
  })
})
