import { describe, expect, it } from 'vitest'
import { type Answer, problem, scriptedService } from '../testing/scripted-service.ts'
import { runTool } from '../testing/test-context.ts'

async function listAt(answer: Answer): Promise<string[]> {
  const { url } = await scriptedService(() => answer)
  const { stderr } = await runTool(['sandbox', 'list'], { env: { SVC_API_TOKEN: 'svc_key', SVC_SANDBOX_API_URL: url } })
  return stderr
    .trimEnd()
    .split('\n')
    .map((line) => line.trim())
}

describe('an error of a sandbox', () => {
  it('is printed even if the address of the service is invalid', async () => {
    const { url } = await scriptedService(() => problem(404, 'NOT_FOUND', 'No such space'))
    const env = { SVC_API_URL: url, SVC_API_TOKEN: 'a.b.c', SVC_BUILDING_ID: 'b-1', SVC_SANDBOX_API_URL: 'nowhere' }
    const refused = await runTool(['api', 'spaces'], { env })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('svc: No such space.') })
    const away = await runTool(['api', 'spaces'], { env: { ...env, SVC_API_URL: 'http://127.0.0.1:1' } })
    expect(away).toMatchObject({ code: 2, stderr: expect.stringContaining('http://127.0.0.1:1 is unreachable') })
  })
})

describe('the advice for a refusal', () => {
  it('is to check the address if the API itself was not found', async () => {
    for (const detail of ['No such route', 'No such host']) {
      expect((await listAt(problem(404, 'NOT_FOUND', detail))).at(-1)).toMatch(
        /Is http:\S+ the address of the provisioning/,
      )
    }
    expect((await listAt(problem(404, 'NOT_FOUND', 'No such sandbox'))).at(-1)).toContain('`svc sandbox list`')
  })

  it('is to wait for the time of Retry-After', async () => {
    const headers = { 'retry-after': '90' }
    const limited = { ...(problem(429, 'RATE_LIMITED', 'Too many') as object), headers } as Answer
    expect((await listAt(limited)).at(-1)).toBe('→ Run the command again in 90 seconds.')
    expect((await listAt({ status: 429, headers })).at(-1)).toBe('→ Run the command again in 90 seconds.')
    expect((await listAt({ status: 503, headers })).at(-1)).toMatch(/^→ Try again in 90 seconds/)
  })

  it('is to retry later when the service fails, without a request id if there is none', async () => {
    for (const status of [500, 502, 503]) {
      const lines = await listAt({ status })
      expect(lines).toEqual([expect.any(String), `UNKNOWN (${status})`, expect.stringMatching(/^→ Try again later/)])
    }
    expect(await listAt(problem(500, 'INTERNAL', 'Oh'))).toEqual([
      'svc: Oh.',
      'INTERNAL (500), request req_1',
      expect.stringMatching(/^→ Try again later.*request/),
    ])
  })
})
