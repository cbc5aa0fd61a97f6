import { gzipSync, zstdCompressSync } from 'node:zlib'
import { movableClock } from '@storey/kit/clock'
import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'
import { sandboxToken } from '../../testing/tokens.ts'

const NOW = '2026-03-02T08:00:00.000Z'
let stack: TestStack
let base: string
let points: string[]
let token: string
beforeAll(async () => {
  stack = await startTestStack({}, {}, movableClock(new Date(NOW)))
  base = `/api/v1/buildings/${stack.seeded.buildingId}/telemetry`
  points = stack.building.points.map(({ key }) => stack.idOf(key))
  token = await sandboxToken()
})
afterAll(() => stack.close())

const V2 = '/influx/api/v2/write'
const send = (
  path: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
  authorization?: string | null,
) => stack.send('POST', base + path, body, authorization, headers)
const ndjson = (body: string | Buffer, headers: Record<string, string> = {}) =>
  send('/observations', body, { 'content-type': 'application/x-ndjson', ...headers })
const write = (
  body: string | Buffer,
  query = '',
  headers: Record<string, string> = {},
  authorization?: string | null,
) => send(V2 + query, body, { 'content-type': 'text/plain; charset=utf-8', ...headers }, authorization)
const history = async (pointId: string) =>
  (await stack.get(`${base}/observations?pointId=${pointId}&from=2026-03-01T00:00:00Z&to=2026-03-04T00:00:00Z`)).body
    .data
const latest = async (pointId: string) =>
  (await stack.get(`${base}/latest`)).body.data.find((row: { pointId: string }) => row.pointId === pointId)
const stored = async () => {
  await stack.folded()
  return (await stack.db.row<{ total: number }>(sql`select coalesce(sum(count), 0) as total from observation_chunks`))!
}

describe('NDJSON', () => {
  it('[OBS-18] is accepted at the address of JSON, and its observations are published like those in JSON', async () => {
    const received: unknown[] = []
    const stop = stack.bus().subscribe('building.point.updated', ({ fields }) => received.push(fields))
    const lines = [
      { pointId: points[0], value: '21.5', timestamp: '2026-03-02T07:00:00Z', source: 'bms' },
      { pointId: points[0], value: 'off' },
    ]
    const { status, body } = await ndjson(lines.map((line) => JSON.stringify(line)).join('\n'))
    stop()
    expect({ status, body }).toEqual({ status: 202, body: { accepted: 2 } })
    expect(await history(points[0]!)).toEqual([{ timestamp: '2026-03-02T07:00:00.000Z', value: '21.5', source: 'bms' }])
    expect(await latest(points[0]!)).toMatchObject({ value: 'off', timestamp: NOW })
    expect(received).toMatchObject([{ observations: [{ value: '21.5' }, { value: 'off' }] }])
  })

  it('[OBS-18] stores nothing if a line is bad or a point is unknown', async () => {
    const before = await stored()
    const good = JSON.stringify({ pointId: points[1], value: '1' })
    expect((await ndjson(`${good}\n\n{"pointId": "${points[1]}"}`)).body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ pointer: '/observations/1/value', line: 3, in: 'body' }],
    })
    expect((await ndjson(`${good}\n{"pointId": "nobody", "value": "1"}`)).body).toMatchObject({
      code: 'UNKNOWN_POINTS',
      pointIds: ['nobody'],
    })
    expect(await stored()).toEqual(before)
  })
})

describe('line protocol', () => {
  it('[OBS-19, OBS-21] gets 204 at both addresses, with the parameters that InfluxDB clients send', async () => {
    const at = (precision: string, time: string | number) => `precision=${precision}&bucket=b&org=o ${time}`
    for (const [i, spec] of [
      at('ns', '1772434800000000000'),
      at('us', 1772434800000000),
      at('ms', 1772434800000),
    ].entries()) {
      const [query, time] = spec.split(' ')
      const answer = await write(`${points[2]} value=${i}.5 ${time}\n`, `?${query}`)
      expect(answer).toMatchObject({ status: 204, body: '' })
      expect(await history(points[2]!)).toEqual([
        { timestamp: '2026-03-02T07:00:00.000Z', value: `${i}.5`, source: null },
      ])
    }
    const old = await send(
      '/influx/write?db=x&rp=autogen&consistency=one&precision=s',
      `${points[2]} value=9 1772438400`,
      {
        'content-type': 'application/x-www-form-urlencoded',
      },
    )
    expect(old.status).toBe(204)
    expect(await latest(points[2]!)).toMatchObject({ value: '9', timestamp: '2026-03-02T08:00:00.000Z' })
  })

  it('[OBS-20] may name points by their external ids, including ids that were added a moment ago', async () => {
    const graph = base.replace('/telemetry', '/points')
    const { id, externalId } = (await stack.get(`${graph}/${points[3]}`)).body
    const seeded = String(externalId).replaceAll('=', '\\=')
    expect((await write(`ifc:${seeded} value=1`)).status).toBe(204)
    expect((await write('modbus,host=a,point=bms:AHU\\ 1 value=2')).body).toMatchObject({
      code: 'UNKNOWN_POINTS',
      pointIds: ['bms:AHU 1'],
    })
    await stack.send('POST', `${graph}/${id}/external-ids`, { sourceSystem: 'bms', externalId: 'AHU 1' })
    expect((await write('modbus,host=a,point=bms:AHU\\ 1,source=gateway value=2')).status).toBe(204)
    expect(await latest(id)).toMatchObject({ value: '2', source: 'gateway' })
  })

  it('[OBS-19] stores nothing if a line is bad, and the response names the line', async () => {
    const before = await stored()
    const refused = await write(`${points[4]} value=1\n# comment\n${points[4]} value=1i,quality=3`)
    expect(refused.body).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      errors: [{ line: 3, detail: 'line 3: the field quality is not known: only value is stored' }],
    })
    const elsewhere = stack.other.idOf(stack.other.building.points[0]!.key)
    expect((await write(`${points[4]} value=1\n${elsewhere} value=1`)).body.pointIds).toEqual([elsewhere])
    expect((await write('')).status).toBe(400)
    expect((await write(Buffer.from([0x61, 0xff, 0x0a]))).status).toBe(400)
    expect((await write(`${points[4]} value=1`, '?precision=h')).body.errors[0].pointer).toBe('/precision')
    expect((await write(`${points[4]} value=1`, '?u=me&p=secret')).status).toBe(400)
    expect((await write('{}', '', { 'content-type': 'application/json' })).status).toBe(415)
    expect(await stored()).toEqual(before)
  })

  it('[OBS-24] gets a refusal with the field `message`, which clients of InfluxDB log', async () => {
    const { body: unknown } = await write('cpu value=1')
    expect(unknown).toMatchObject({ code: 'UNKNOWN_POINTS', pointIds: ['cpu'], message: unknown.detail })
    expect(unknown.message).toContain('cpu')
    expect((await write('x', '', {}, null)).body).toMatchObject({
      status: 401,
      message: expect.stringContaining('Bearer'),
    })
    expect((await write('x', '?precision=h')).body).toMatchObject({ status: 400, message: expect.any(String) })
    const large = await write(Buffer.alloc(10 * 1024 * 1024 + 1, 10))
    expect(large.body).toMatchObject({ status: 413, message: expect.stringContaining('10 MB') })
    expect((await ndjson('x')).body).not.toHaveProperty('message')
  })

  it('[OBS-22] is accepted with the scheme Token, which the route of the last values refuses', async () => {
    const line = `${points[5]} value=1`
    for (const scheme of ['Token', 'token', 'Bearer']) {
      expect((await write(line, '', {}, `${scheme} ${token}`)).status, scheme).toBe(204)
    }
    for (const credential of [null, `Basic ${token}`, 'Token wrong', `Token${token}`]) {
      expect((await write(line, '', {}, credential)).body.code, String(credential)).toBe('UNAUTHENTICATED')
    }
    expect((await stack.get(`${base}/latest`, `Token ${token}`)).status).toBe(401)
    const ofOtherTenant = await sandboxToken({ tenant_id: 'org_other' })
    expect((await write(line, '', {}, `Token ${ofOtherTenant}`)).body.code).toBe('PERMISSION_DENIED')
    const nowhere = base.replace(stack.seeded.buildingId, '0191b6a0-0000-7000-8000-000000000000')
    expect((await stack.send('POST', nowhere + V2, line, undefined, { 'content-type': 'text/plain' })).status).toBe(404)
  })
})

describe('compressed observations', () => {
  it.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ] as const)('[OBS-23] are accepted with the coding %s, in every form', async (coding, compress) => {
    const headers = { 'content-encoding': coding }
    const lines = Array.from({ length: 3000 }, (_, i) => ({
      ...{ pointId: points[6 + (i % 5)], value: `${i}.25` },
      timestamp: new Date(Date.parse(NOW) - i * 1000).toISOString(),
    }))
    const json = compress(Buffer.from(JSON.stringify({ observations: lines })))
    const sent = await send('/observations', json, { 'content-type': 'application/json', ...headers })
    expect(sent.body).toEqual({ accepted: 3000 })
    const text = lines.map((line) => JSON.stringify(line)).join('\n')
    expect((await ndjson(compress(Buffer.from(text)), headers)).body).toEqual({ accepted: 3000 })
    expect((await write(compress(Buffer.from(`${points[6]} value=7`)), '', headers)).status).toBe(204)
  })

  it('[OBS-23] are refused if they are too large, broken or in another coding', async () => {
    const before = await stored()
    const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024 + 1, ' '))
    expect((await ndjson(bomb, { 'content-encoding': 'gzip' })).body.code).toBe('BODY_TOO_LARGE')
    const good = gzipSync(`${points[7]} value=1`)
    const broken = await write(good.subarray(0, -9), '', { 'content-encoding': 'gzip' })
    expect(broken.body).toMatchObject({ status: 400, errors: [{ pointer: '/content-encoding', in: 'header' }] })
    const other = await write(good, '', { 'content-encoding': 'br' })
    expect(other.body).toMatchObject({ status: 415, validValues: ['gzip', 'zstd'] })
    expect(await stored()).toEqual(before)
  })
})
