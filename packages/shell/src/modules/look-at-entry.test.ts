import { describe, expect, it } from 'vitest'
import { lookAtEntry } from './look-at-entry.ts'

const ENTRY = 'http://localhost:6001/assets/remoteEntry.js?t=1'
const DEV_CLIENT = 'http://localhost:6001/@vite/client'
const JS = 'text/javascript'

const answer = (status: number, type: string, text: string) => () =>
  new Response(text, { status, headers: { 'content-type': type } })

/** A browser's network: where there is no answer nobody listens, and a closed one shows a page of elsewhere nothing. */
const browser =
  (answers: Record<string, (() => Response) | 'closed'>) =>
  async (url: string, { mode }: RequestInit): Promise<Response> => {
    const found = answers[url]
    if (found === undefined || (found === 'closed' && mode !== 'no-cors')) throw new TypeError('Failed to fetch')
    return found === 'closed' ? Response.error() : found()
  }
const look = (answers: Parameters<typeof browser>[0]) =>
  lookAtEntry(ENTRY, { fetch: browser(answers), onBlocked: () => () => undefined })

/** A remote that redirects: to where, as the browser tells it after having followed. */
const redirecting =
  (end: string | undefined) =>
  async (_: string, { redirect }: RequestInit): Promise<Response> => {
    if (redirect === 'manual') return { type: 'opaqueredirect' } as Response
    if (end === undefined) throw new TypeError('Failed to fetch')
    return Object.defineProperty(answer(200, JS, 'export{get,init}')(), 'url', { value: end })
  }

describe('looking at a remote entry', () => {
  it('finds a build', async () => {
    const build = answer(200, `${JS}; charset=utf-8`, 'import"./a-1f.js";export{get,init}')
    expect(await look({ [ENTRY]: build })).toEqual({ kind: 'ready', builtAs: undefined })
    const named = answer(200, JS, 'const a="__mfe_internal__air_board__mf_owner__1";export{get,init}')
    expect(await look({ [ENTRY]: named })).toEqual({ kind: 'ready', builtAs: 'air_board' })
  })

  it('[SHL-13] tells nobody there from somebody who lets no other origin in', async () => {
    expect(await look({})).toEqual({ kind: 'down' })
    expect(await look({ [ENTRY]: 'closed' })).toEqual({ kind: 'noCors' })
  })

  it('follows a redirect on this machine, and no other', async () => {
    const to = (end: string | undefined) =>
      lookAtEntry(ENTRY, { fetch: redirecting(end), onBlocked: () => () => undefined })
    expect(await to('http://127.0.0.1:6002/entry.js')).toEqual({ kind: 'ready' })
    expect(await to('http://192.0.2.7/entry.js')).toEqual({ kind: 'redirects', to: 'http://192.0.2.7/entry.js' })
    expect(await to(undefined)).toEqual({ kind: 'redirects', to: undefined })
  })

  it('tells one that leads away, and shows no page of elsewhere anything, from nobody there', async () => {
    const onBlocked = (_: string, tell: () => void) => {
      tell()
      return () => undefined
    }
    expect(await lookAtEntry(ENTRY, { fetch: browser({}), onBlocked })).toEqual({ kind: 'redirects', to: undefined })
  })

  it('[SHL-13] knows a development server by what its code imports', async () => {
    const dev = answer(200, JS, 'import "/@vite/client"; import hot from "/node_modules/.vite/deps/react.js"')
    expect(await look({ [ENTRY]: dev })).toEqual({ kind: 'devServer' })
  })

  it('does not take a build that speaks of one for a development server', async () => {
    const build = answer(200, JS, 'export const hint = "open /@vite/client, or import.meta.hot"; export { get, init }')
    expect(await look({ [ENTRY]: build })).toEqual({ kind: 'ready' })
  })

  it('[SHL-13] knows a development server that has no entry, by its client', async () => {
    const answers = { [ENTRY]: answer(404, 'text/plain', ''), [DEV_CLIENT]: answer(200, JS, '') }
    expect(await look(answers)).toEqual({ kind: 'devServer' })
  })

  it('does not take a page in place of the client for a development server', async () => {
    const page = answer(200, 'text/html', '<!doctype html><title>Hello</title>')
    expect(await look({ [ENTRY]: page, [DEV_CLIENT]: page })).toEqual({
      kind: 'notJavaScript',
      contentType: 'text/html',
    })
  })

  it('finds that a file is missing', async () => {
    expect(await look({ [ENTRY]: answer(404, 'text/plain', 'no') })).toEqual({ kind: 'noEntry', status: 404 })
  })
})
