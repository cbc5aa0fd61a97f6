import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { type Answer, problem, type ReceivedRequest, scriptedService } from '../../testing/scripted-service.ts'
import { runTool, type TestClock, testClock } from '../../testing/test-context.ts'

const ROWS = Array.from({ length: 5 }, (_, i) => ({ id: `s-${i}`, name: `Room ${i}` }))

async function api(
  answer: (received: ReceivedRequest) => Answer,
  words: readonly string[],
  { base = '', ...more }: { base?: string; cwd?: string; stdin?: string; clock?: TestClock } = {},
) {
  const { url, received } = await scriptedService(answer)
  const env = { SVC_API_URL: url + base, SVC_API_TOKEN: 'a.b.c', SVC_BUILDING_ID: 'b-1' }
  const ended = await runTool(['api', ...words], { env, ...more })
  return { ...ended, received, url, calls: received.map(({ method, path }) => `${method} ${path}`) }
}

/** A list that returns at most two rows for each request. */
function paged({ path }: ReceivedRequest): Answer {
  const query = new URL(path, 'http://x').searchParams
  const offset = Number(query.get('offset') ?? 0)
  return { json: { data: ROWS.slice(offset, offset + 2), total: ROWS.length, limit: 2, offset } }
}

describe('svc api', () => {
  it('[CLI-42] calls a path of the building or of the sandbox, with the sandbox’s token', async () => {
    const { code, stdout, calls, received } = await api(() => ({ json: { total: 1 } }), ['spaces?limit=5'])
    expect({ code, stdout, calls }).toEqual({
      ...{ code: 0, stdout: '{\n  "total": 1\n}\n' },
      calls: ['GET /api/v1/buildings/b-1/spaces?limit=5'],
    })
    expect(received[0]!.headers.authorization).toBe('Bearer a.b.c')
    const json = () => ({ json: {} })
    expect((await api(json, ['/api/v1/webhooks'])).calls).toEqual(['GET /api/v1/webhooks'])
    expect((await api(json, ['api/v1/x/{buildingId}'])).calls).toEqual(['GET /api/v1/x/b-1'])
  })

  it('[CLI-42] sends fields as JSON, a file as it is, and fields of a GET as its query', async () => {
    const json = () => ({ json: {} })
    const fields = await api(json, ['layers', '-f', 'value=21.5', '-F', 'on=true', '-F', 'list=[1]', '-F', 'text=a b'])
    expect(fields.calls[0]).toMatch(/^POST /)
    expect(JSON.parse(fields.received[0]!.body)).toEqual({ value: '21.5', on: true, list: [1], text: 'a b' })
    const got = await api(json, ['points', '-X', 'get', '-f', 'pointType=ALARM'])
    expect(got.calls).toEqual(['GET /api/v1/buildings/b-1/points?pointType=ALARM'])
    const cwd = temporaryFolder('svc-api')
    writeFileSync(join(cwd, 'a.csv'), 'id,name\n')
    const file = await api(json, ['import', '--input', 'a.csv', '-H', 'Content-Type: text/csv'], { cwd })
    expect(file.received[0]).toMatchObject({ body: 'id,name\n', headers: { 'content-type': 'text/csv' } })
    expect((await api(json, ['x', '--input', '-', '-X', 'PUT'], { stdin: '{}' })).received[0]).toMatchObject({
      ...{ method: 'PUT', body: '{}' },
    })
  })

  it('[CLI-42] sends and prints numbers with unchanged digits, except with --jq', async () => {
    const json = () => ({ json: {} })
    const sent = await api(json, ['layers', '-F', 'n=12345678901234567890', '-F', 'list=[1.0]', '-f', 'text=1.0'])
    expect(sent.received[0]!.body).toBe('{"text":"1.0","n":12345678901234567890,"list":[1.0]}')
    const got = await api(json, ['points', '-X', 'GET', '-F', 'n=12345678901234567890', '-F', 'text="a b"'])
    expect(got.calls).toEqual(['GET /api/v1/buildings/b-1/points?n=12345678901234567890&text=a+b'])
    const row = '{"id":12345678901234567890,"few":[1.0,-0,1e400,2],"text":"\\" 1.0"}'
    const printed = '"id": 12345678901234567890,"few": [1.0,-0,1e400,2],"text": "\\" 1.0"'
    const oneLine = (text: string) => text.replace(/\n\s*/g, '')
    expect(oneLine((await api(() => ({ text: row }), ['x'])).stdout)).toBe(`{${printed}}`)
    const list = () => ({ text: `{"data":[${row}],"total":1,"limit":2,"offset":0}` })
    const all = await api(list, ['x', '--all', '--format=json'])
    expect(oneLine(all.stdout)).toBe(`{"data": [{${printed}}],"total": 1,"limit": 1,"offset": 0}`)
    expect((await api(list, ['x', '--jq', '.data[0].few[0]'])).stdout).toBe('1\n')
  })

  it('[CLI-42] reads all pages, and prints a selection', async () => {
    const { stdout, calls } = await api(paged, ['spaces', '--all', '--jq', '.data[] | .name'])
    expect(stdout).toBe(ROWS.map(({ name }) => `${name}\n`).join(''))
    expect(calls).toHaveLength(3)
    const whole = JSON.parse((await api(paged, ['spaces', '--all'])).stdout)
    expect(whole).toEqual({ data: ROWS, total: 5, limit: 5, offset: 0 })
    const asJson = await api(paged, ['spaces', '--all', '--jq', '.total', '--format=json'])
    expect(JSON.parse(asJson.stdout)).toEqual([5])
  })

  it('[CLI-42] reads all rows of lists that are paged by number, by time, or by the id of the last row', async () => {
    const byPage = ({ path }: ReceivedRequest) => {
      const page = Number(new URL(path, 'http://x').searchParams.get('page') ?? 1)
      return { json: { data: ROWS.slice((page - 1) * 2, page * 2), total: 5, page, limit: 2 } }
    }
    expect((await api(byPage, ['/api/service-desk/requests', '--all', '--jq', '.total'])).stdout).toBe('5\n')
    const byTime = ({ path }: ReceivedRequest) => {
      const from = new URL(path, 'http://x').searchParams.get('from')
      return { json: { data: [from], nextFrom: from === null ? 't1' : from === 't1' ? 't2' : null } }
    }
    expect((await api(byTime, ['telemetry/observations', '--all', '--jq', '.data'])).stdout).toBe('[null,"t1","t2"]\n')
    const byId = ({ path }: ReceivedRequest) => {
      const before = Number(new URL(path, 'http://x').searchParams.get('before') ?? 6)
      return { json: { data: [before - 1, before - 2], nextBefore: before > 2 ? before - 2 : null } }
    }
    const audit = await api(byId, ['/api/v1/accounts/audit', '--all', '--format=json'])
    expect(JSON.parse(audit.stdout)).toEqual({ data: [5, 4, 3, 2, 1, 0], nextBefore: null })
  })

  it('repeats a read after a short Retry-After', async () => {
    let calls = 0
    const clock = testClock()
    const limited = {
      ...(problem(429, 'RATE_LIMITED', 'Slow down') as object),
      headers: { 'retry-after': '3' },
    } as Answer
    const { code } = await api(() => (calls++ === 0 ? limited : { json: {} }), ['spaces'], { clock })
    expect({ code, slept: clock.slept }).toEqual({ code: 0, slept: [3000] })
  })

  it('[CLI-42] sends the token to no other host, refuses invalid options, and prints errors of the API', async () => {
    const refused = await api(() => problem(404, 'NOT_FOUND', 'No such route'), ['nothing'])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/No such route\.\n.*NOT_FOUND \(404\).*\n.*\/docs lists the paths/)
    const wrong: [string[], RegExp][] = [
      [['http://127.0.0.1:1/x'], /not an address of this sandbox/],
      [['x', '-f', 'a'], /name=value/],
      [['x', '-f', 'a=1', '--input', 'b'], /cannot be combined/],
      [['x', '-H', 'Authorization: x'], /svc sets Authorization/],
      [['x', '-X', 'DELETE', '--all'], /--all works only with GET/],
      [['x', '--jq', '.['], /--jq: the expression ends/],
    ]
    for (const [words, expected] of wrong) {
      const { code, stderr, received } = await api(() => ({ json: {} }), words)
      expect({ words, code, received }).toEqual({ words, code: 64, received: [] })
      expect(stderr).toMatch(expected)
    }
    expect((await api(() => ({ json: { id: 1 } }), ['x', '--all'])).stderr).toContain('--all works only for lists')
  })

  it('[CLI-42] sends the token to no other sandbox of the same host', async () => {
    const json = () => ({ json: {} })
    const { url, received } = await scriptedService(json)
    const env = { SVC_API_URL: `${url}/s/a`, SVC_API_TOKEN: 'a.b.c', SVC_BUILDING_ID: 'b-1' }
    for (const path of [`${url}/s/b/x`, `${url}/s/ab`, `${url}/s/a/../b/x`, '/../b/x', '../../../../../b/x']) {
      const { code, stderr } = await runTool(['api', path], { env })
      expect({ path, code, stderr }).toMatchObject({ code: 64, stderr: expect.stringContaining('not an address of') })
    }
    for (const path of [`${url}/s/a/x`, '/x', 'api/../x']) await runTool(['api', path], { env })
    expect(received.map(({ path }) => path)).toEqual(Array(3).fill('/s/a/x'))
  })

  it('takes a path that begins with API/ in capitals as relative to the building', async () => {
    const { url, received } = await scriptedService(() => ({ json: { data: [{ id: 'b-1' }], total: 1 } }))
    await runTool(['api', 'API/x'], { env: { SVC_API_URL: url, SVC_API_TOKEN: 'a.b.c' } })
    expect(received.at(-1)!.path).toBe('/api/v1/buildings/b-1/API/x')
  })
})
