import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it, vi } from 'vitest'
import { type Answer, problem, sandboxRecord, scriptedService } from '../../testing/scripted-service.ts'
import { runTool } from '../../testing/test-context.ts'

const LINK = 'http://localhost:4000/realms/sandboxes/owner-session/abc'
const session = { status: 201, json: { url: LINK, expiresAt: '2026-01-01T00:01:00.000Z' } }

async function open(answer: Answer, words: readonly string[] = ['sbx_1'], more: Record<string, string> = {}) {
  const { url, received } = await scriptedService(({ path }) =>
    /\/console-session(\?|$)/.test(path)
      ? answer
      : { json: sandboxRecord({ consoleUrl: 'http://mall.localhost:4000' }) },
  )
  const env = { SVC_API_TOKEN: 'svc_key', SVC_SANDBOX_API_URL: url, ...more }
  return {
    ...(await runTool(['open', ...words], { env })),
    calls: received.map(({ method, path }) => `${method} ${path}`),
  }
}

describe('svc open', () => {
  it('[CLI-46] prints the sign-in address if there is no browser', async () => {
    const { code, stdout, stderr, calls } = await open(session)
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${LINK}\n` })
    expect(stderr).toContain('once, within a minute')
    expect(calls).toEqual(['POST /api/v1/sandboxes/sbx_1/console-session'])
  })

  it('[CLI-46] opens the sign-in address if there is a browser, and does not print it', async () => {
    const bin = temporaryFolder('svc-open')
    const noted = join(bin, 'noted')
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" > '${noted}'\n`)
    chmodSync(join(bin, 'xdg-open'), 0o755)
    const more = { PATH: `${bin}:/usr/bin:/bin`, DISPLAY: ':9' }
    const { stdout } = await open(session, ['sbx_1'], more)
    expect(stdout).toBe('Opened the console of sbx_1, signed in as its owner.\n')
    await vi.waitFor(() => expect(readFileSync(noted, 'utf8')).toBe(`${LINK}\n`), 5000)
    expect((await open(session, ['sbx_1', '--no-browser'], more)).stdout).toBe(`${LINK}\n`)
  })

  it('[CLI-50] opens a page of the console, and nothing on another host', async () => {
    const { calls } = await open(session, ['sbx_1', '--path', '/sandbox/board?storey=1'])
    expect(calls).toEqual(['POST /api/v1/sandboxes/sbx_1/console-session?path=%2Fsandbox%2Fboard%3Fstorey%3D1'])
    const external = await open(problem(409, 'CONFLICT', 'External'), ['sbx_1', '--path', 'sandbox/board'])
    expect(external.stdout).toBe('http://mall.localhost:4000/sandbox/board\n')
    for (const path of ['//evil.example', '/\\evil.example', '/a b']) {
      expect(await open(session, ['sbx_1', '--path', path])).toMatchObject({ code: 64, calls: [] })
    }
  })

  it('[CLI-46] opens the console without a session if the service cannot sign the user in', async () => {
    for (const refused of [problem(409, 'CONFLICT', 'External'), problem(404, 'NOT_FOUND', 'No such route')]) {
      const { code, stdout, stderr } = await open(refused)
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'http://mall.localhost:4000\n' })
      expect(stderr).toContain('Sign in there with an account of the sandbox')
    }
  })

  it('[CLI-46] does not open the console of a sandbox that has failed', async () => {
    const failed = problem(409, 'CONFLICT', 'The sandbox has failed: reset or delete it', { field: 'status' })
    const { code, stdout, stderr } = await open(failed)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('The sandbox has failed: reset or delete it.')
  })
})
