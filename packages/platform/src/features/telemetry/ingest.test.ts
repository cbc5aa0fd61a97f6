import { ARRIVED_AT_HEADER, INTERNAL_KEY_HEADER } from '@storey/contract'
import { movableClock } from '@storey/kit/clock'
import { sql } from '@storey/kit/database'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

const INTERNAL_KEY = 'k'.repeat(64)
const NOW = '2026-03-02T08:00:00.000Z'
let stack: TestStack
let base: string
let points: string[]
const clock = movableClock(new Date(NOW))
beforeAll(async () => {
  stack = await startTestStack({ internalKey: INTERNAL_KEY }, {}, clock)
  base = `/api/v1/buildings/${stack.seeded.buildingId}/telemetry`
  points = stack.building.points.map(({ key }) => stack.idOf(key))
})
afterAll(() => stack.close())

interface Observed {
  pointId?: unknown
  value?: unknown
  timestamp?: unknown
  source?: unknown
}
const post = (observations: Observed[] | unknown) => stack.send('POST', `${base}/observations`, { observations })
const raw = (body: string | Buffer, type = 'application/json') =>
  stack.send('POST', `${base}/observations`, body, undefined, { 'content-type': type })
const history = async (pointId: string, query = 'from=2026-03-01T00:00:00Z&to=2026-03-04T00:00:00Z&limit=10000') =>
  (await stack.get(`${base}/observations?pointId=${pointId}&${query}`)).body.data
const latest = async (pointId: string) =>
  (await stack.get(`${base}/latest`)).body.data.find((row: { pointId: string }) => row.pointId === pointId)
const waiting = async () =>
  (await stack.db.row<{ total: number }>(sql`select coalesce(sum(count), 0) as total from observation_batches`))!.total

describe('POST …/telemetry/observations', () => {
  it('[OBS-01, OBS-06, OBS-12] accepts observations, and returns them before and after they are folded', async () => {
    const pointId = points[0]!
    const source = 'bms'
    const { status, body } = await post([
      { pointId, value: '21.5', timestamp: '2026-03-02T07:00:00Z', source },
      { pointId, value: '-1e-3', timestamp: '2026-03-02T07:05:00.250Z' },
      { pointId: pointId.toUpperCase(), value: '22', timestamp: '2026-03-02T08:10:00+01:00' },
    ])
    expect({ status, body }).toEqual({ status: 202, body: { accepted: 3 } })
    const expected = [
      { timestamp: '2026-03-02T07:00:00.000Z', value: '21.5', source },
      { timestamp: '2026-03-02T07:05:00.250Z', value: '-0.001', source: null },
      { timestamp: '2026-03-02T07:10:00.000Z', value: '22', source: null },
    ]
    expect(await history(pointId)).toEqual(expected)
    expect(await latest(pointId)).toMatchObject({ value: '22', timestamp: expected[2]!.timestamp, source: null })
    await stack.folded()
    expect(await waiting()).toBe(0)
    expect(await history(pointId)).toEqual(expected)
    expect(await latest(pointId)).toMatchObject({ value: '22', timestamp: expected[2]!.timestamp, source: null })
  })

  it('[OBS-04] uses the current time by default', async () => {
    await post([{ pointId: points[1], value: '1' }])
    expect(await history(points[1]!)).toEqual([{ timestamp: NOW, value: '1', source: null }])
  })

  describe('with a time of arrival', () => {
    const ARRIVED = '2026-03-02T07:59:59.250Z'
    const deliver = (pointId: string, value: string, key = INTERNAL_KEY, at: string = `${Date.parse(ARRIVED)}`) =>
      stack.send('POST', `${base}/observations`, { observations: [{ pointId, value }] }, undefined, {
        [INTERNAL_KEY_HEADER]: key,
        [ARRIVED_AT_HEADER]: at,
      })
    afterEach(() => clock.set(new Date(NOW)))

    it('[MQT-22] stores a message over MQTT once, even if it is delivered again after a lost response', async () => {
      const pointId = points[10]!
      for (let i = 0; i < 3; i++) {
        expect((await deliver(pointId, '7')).status).toBe(202)
        clock.advance(1_000)
      }
      expect(await history(pointId)).toEqual([{ timestamp: ARRIVED, value: '7', source: null }])
      await stack.folded()
      expect(await history(pointId)).toEqual([{ timestamp: ARRIVED, value: '7', source: null }])
    })

    it.each<[string, string | undefined, string | undefined]>([
      ['a client', 'another', undefined],
      ['a client without a key', '', undefined],
      ['the control plane if the header is not a time', undefined, 'yesterday'],
      ['the control plane if the header is empty', undefined, ''],
      ['the control plane if the header is not in milliseconds', undefined, '1772438399'],
      ['the control plane if the header is an ISO time', undefined, ARRIVED],
    ])('[MQT-22] ignores the time of arrival from %s', async (_, key, at) => {
      const pointId = points[11]!
      clock.advance(250)
      expect((await deliver(pointId, '8', key, at)).status).toBe(202)
      expect(await history(pointId)).toEqual([{ timestamp: clock.now().toISOString(), value: '8', source: null }])
    })
  })

  it('[OBS-13, OBS-15] keeps a text as the last value but not in the history, where it removes a number of the same time', async () => {
    const pointId = points[2]!
    const at = (minute: number) => `2026-03-02T07:0${minute}:00.000Z`
    await post([
      { pointId, value: '5', timestamp: at(0) },
      { pointId, value: '6', timestamp: at(1) },
    ])
    await stack.folded()
    await post([{ pointId, value: 'fault', timestamp: at(1), source: 'panel' }])
    for (const when of ['waiting', 'folded']) {
      expect(await history(pointId), when).toEqual([{ timestamp: at(0), value: '5', source: null }])
      expect(await latest(pointId), when).toMatchObject({ value: 'fault', timestamp: at(1), source: 'panel' })
      await stack.folded()
    }
    await post([{ pointId, value: '7', timestamp: at(1) }])
    expect((await history(pointId)).map((row: { value: string }) => row.value)).toEqual(['5', '7'])
  })

  it('[OBS-14, OBS-16] replaces an observation of the same instant, and never replaces the last value by an older one', async () => {
    const pointId = points[3]!
    const [early, late] = ['2026-03-02T06:00:00.000Z', '2026-03-02T07:00:00.000Z']
    await post([{ pointId, value: '1', timestamp: late }])
    await post([{ pointId, value: '2', timestamp: late }])
    await post([{ pointId, value: '9', timestamp: early }])
    for (const when of ['waiting', 'folded']) {
      expect(
        (await history(pointId)).map((row: { value: string }) => row.value),
        when,
      ).toEqual(['9', '2'])
      expect(await latest(pointId), when).toMatchObject({ value: '2', timestamp: late })
      await stack.folded()
    }
    const twice = [{ pointId, value: '3', timestamp: late }]
    await post([...twice, ...twice, { pointId, value: '4', timestamp: late }])
    expect(await latest(pointId)).toMatchObject({ value: '4' })
  })

  it('[OBS-17] publishes accepted observations, at most a thousand per event, and publishes no refused ones', async () => {
    const received: { buildingId: string; observations: Record<string, unknown>[] }[] = []
    const stop = stack.bus().subscribe('building.point.updated', ({ fields }) => received.push(fields as never))
    const many = Array.from({ length: 1500 }, (_, i) => ({
      pointId: points[i % points.length],
      value: i === 0 ? 'on' : String(i),
      timestamp: new Date(Date.parse(NOW) - i * 1000).toISOString(),
    }))
    expect((await post(many)).body).toEqual({ accepted: 1500 })
    await post([{ pointId: points[0], value: 1 }])
    await post([{ pointId: 'unknown', value: '1' }])
    stop()
    expect(received.map(({ observations }) => observations.length)).toEqual([1000, 500])
    const elementId = stack.idOf(stack.building.points[0]!.elementKey)
    expect(received[0]!.observations[0]).toEqual({
      pointId: points[0],
      elementId,
      value: 'on',
      timestamp: NOW,
      source: null,
    })
    expect(received[0]!.buildingId).toBe(stack.seeded.buildingId)
  })
})

describe('refusals', () => {
  const good = () => Array.from({ length: 3 }, () => ({ pointId: points[5], value: '1' }))
  const unchanged = async (work: () => Promise<unknown>) => {
    // Folds first: otherwise waiting batches could be folded between the two reads.
    await stack.folded()
    const before = [await waiting(), await history(points[5]!)]
    await work()
    expect([await waiting(), await history(points[5]!)]).toEqual(before)
  }

  it('[OBS-08, OBS-09, OBS-10, OBS-11] name every unknown point, and store nothing', async () => {
    const elsewhere = stack.other.idOf(stack.other.building.points[0]!.key)
    const unknownIds = ['0191b6a0-0000-7000-8000-000000000000', 'P-1', elsewhere, '']
    await unchanged(async () => {
      const body = [...good(), ...[...unknownIds, ...unknownIds].map((pointId) => ({ pointId, value: '1' }))]
      const answer = await post(body)
      expect(answer).toMatchObject({ status: 400, body: { code: 'UNKNOWN_POINTS' } })
      expect(answer.body.pointIds).toEqual(unknownIds)
    })
    expect((await stack.get(base.replace('telemetry', 'points?limit=1'))).body.total).toBe(points.length)
  })

  it('[OBS-08] name unknown points however short their ids are', async () => {
    const unknownIds = Array.from({ length: 200 }, (_, i) => `u${i}`)
    const answer = await post(unknownIds.map((pointId) => ({ pointId, value: '1' })))
    expect(answer.body).toMatchObject({ code: 'UNKNOWN_POINTS', pointIds: unknownIds })
  })

  it('[MQT-17] are short for messages over MQTT, and complete for any other caller', async () => {
    const unknownIds = [...Array.from({ length: 9_000 }, (_, i) => `u${i}`), 'x'.repeat(16_000)].reverse()
    const body = { observations: unknownIds.map((pointId) => ({ pointId, value: '1' })) }
    const answered = async (key: string) =>
      (await stack.send('POST', `${base}/observations`, body, undefined, { [INTERNAL_KEY_HEADER]: key })).body
    const short = await answered(INTERNAL_KEY)
    expect(short).toMatchObject({ code: 'UNKNOWN_POINTS', status: 400, leftOut: { pointIds: 8_901 } })
    expect(short.pointIds.slice(1)).toEqual(unknownIds.slice(1, 100))
    expect(JSON.stringify(short).length).toBeLessThan(4_000)
    const long = await answered('another')
    expect(long.pointIds).toEqual(unknownIds)
    expect(long.leftOut).toBeUndefined()
    expect(long.detail.length).toBeLessThan(300)
  })

  it.each<[string, Observed, string]>([
    ['a number', { value: 21.5 }, 'value'],
    ['null', { value: null }, 'value'],
    ['an object', { value: {} }, 'value'],
    ['no value', { value: undefined }, 'value'],
    ['no point', { pointId: undefined }, 'pointId'],
    ['a point that is a number', { pointId: 7 }, 'pointId'],
    ['a time without an offset', { timestamp: '2026-03-02T07:00:00' }, 'timestamp'],
    ['a date that does not exist', { timestamp: '2026-02-30T07:00:00Z' }, 'timestamp'],
    ['a time of 25 hours', { timestamp: '2026-03-02T25:00:00.000Z' }, 'timestamp'],
    ['a time in words', { timestamp: 'yesterday' }, 'timestamp'],
    ['a time as a number', { timestamp: 1_772_000_000 }, 'timestamp'],
    ['a time before the year 1', { timestamp: '0000-12-31T23:59:59.999Z' }, 'timestamp'],
    ['a time too far in the future', { timestamp: new Date(Date.now() + 25 * 3_600_000).toISOString() }, 'timestamp'],
    ['a source that is empty', { source: '' }, 'source'],
    ['a source that is a number', { source: 1 }, 'source'],
    ['a text too long', { value: 'x'.repeat(1001) }, 'value'],
    ['a NUL in a text', { value: 'a\0b' }, 'value'],
  ])('[OBS-03, OBS-04, OBS-05, OBS-10] name the invalid field: %s', async (_, change, field) => {
    await unchanged(async () => {
      const { status, body } = await post([...good(), { pointId: points[5], value: '1', ...change }])
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' })
      expect(body.errors.map((error: { pointer: string }) => error.pointer)).toContain(`/observations/3/${field}`)
    })
  })

  it('[OBS-25] do not apply to a time that is right by the clock of the database', async () => {
    const timestamp = new Date().toISOString()
    expect(Date.parse(timestamp) - clock.now().getTime()).toBeGreaterThan(24 * 3_600_000)
    const observations = [
      { pointId: points[6], value: '1', timestamp },
      { pointId: points[7], value: '2' },
    ]
    expect((await post(observations)).status).toBe(202)
    // Observations without a timestamp get the time of the clock of this process.
    expect(await latest(points[7]!)).toMatchObject({ value: '2', timestamp: NOW })
  })

  it('do not apply to a time exactly 24 hours ahead', async () => {
    expect((await post([{ pointId: points[6], value: '1', timestamp: '2026-03-03T08:00:00Z' }])).status).toBe(202)
  })

  it('[OBS-07] apply to an empty or missing array', async () => {
    for (const body of [{ observations: [] }, {}, { observations: {} }, [], 'x', null]) {
      const { status } = await stack.send('POST', `${base}/observations`, JSON.stringify(body), undefined, {
        'content-type': 'application/json',
      })
      expect(status, JSON.stringify(body)).toBe(400)
    }
    expect((await raw('')).status).toBe(400)
  })

  it.each([
    [
      'an unknown field',
      (id: string) => `{"observations":[{"pointId":"${id}","value":"1","unit":"C"}]}`,
      '/observations/0/unit',
    ],
    ['an unknown field at the top', (id: string) => `{"observations":[{"pointId":"${id}","value":"1"}],"x":1}`, '/x'],
    [
      'a field twice',
      (id: string) => `{"observations":[{"pointId":"${id}","value":"1","value":"2"}]}`,
      '/observations/0/value',
    ],
    ['a missing end', (id: string) => `{"observations":[{"pointId":"${id}","value":"1"}`, ''],
    ['text after its end', (id: string) => `{"observations":[{"pointId":"${id}","value":"1"}]} x`, ''],
    ['a comma too many', (id: string) => `{"observations":[{"pointId":"${id}","value":"1"},]}`, ''],
    ['deep nesting', (_: string) => `{"observations":${'['.repeat(100_000)}`, ''],
    ['a control character', (id: string) => `{"observations":[{"pointId":"${id}","value":"a\nb"}]}`, ''],
    ['a lone surrogate', (id: string) => `{"observations":[{"pointId":"${id}","value":"\\ud800"}]}`, '/observations'],
  ])('apply to a body with %s', async (_, body, pointer) => {
    await unchanged(async () => {
      const answer = await raw(body(points[5]!))
      expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
      expect(answer.body.errors[0].pointer).toBe(pointer)
    })
  })

  it('apply to invalid UTF-8, a large body, another content type, a missing token and an unknown building', async () => {
    const head = Buffer.from(`{"observations":[{"pointId":"${points[5]}","value":"`)
    await unchanged(async () => {
      expect((await raw(Buffer.concat([head, Buffer.from([0xff, 0xfe]), Buffer.from('"}]}')]))).status).toBe(400)
      expect((await raw(Buffer.alloc(10 * 1024 * 1024 + 1, 32))).status).toBe(413)
      expect((await raw('{}', 'text/plain')).status).toBe(415)
      expect((await stack.send('POST', `${base}/observations`, { observations: good() }, null)).status).toBe(401)
      const nowhere = base.replace(stack.seeded.buildingId, '0191b6a0-0000-7000-8000-000000000000')
      expect((await stack.send('POST', `${nowhere}/observations`, { observations: good() })).status).toBe(404)
    })
  })

  it('do not apply to a byte order mark, escapes in keys, or the year 1', async () => {
    const pointId = points[8]!
    const observation = (key: string) =>
      `{"observations":[{"${key}":"${pointId}","value":"7","timestamp":"0001-06-01T00:00:00Z"}]}`
    expect((await raw(`\ufeff${observation('pointId')}`)).body).toEqual({ accepted: 1 })
    expect((await raw(observation('p\\u006fintId'))).body).toEqual({ accepted: 1 })
    const rows = await history(pointId, 'from=0001-01-01T00:00:00Z&to=0002-01-01T00:00:00Z')
    expect(rows).toEqual([{ timestamp: '0001-06-01T00:00:00.000Z', value: '7', source: null }])
  })

  it('do not apply to a long decimal', async () => {
    const value = `0.5${'0'.repeat(900)}`
    await post([{ pointId: points[9], value, timestamp: '2026-03-01T09:00:00Z' }])
    expect(await history(points[9]!, 'from=2026-03-01T09:00:00Z&to=2026-03-01T09:00:01Z')).toMatchObject([
      { value: '0.5' },
    ])
  })

  it('do not apply to texts with escapes, texts in another script, or texts that resemble numbers', async () => {
    const texts = ['да', '"quoted"', 'a\\b', '😀', ' 5 ', '0x10', 'NaN', 'Infinity', '1e999', '', '5.5.5', '--1', '1,5']
    for (const value of texts) {
      expect((await post([{ pointId: points[7], value, timestamp: NOW }])).status).toBe(202)
      expect(await latest(points[7]!), value).toMatchObject({ value })
    }
    const instants = (await history(points[7]!)).map((row: { timestamp: string }) => row.timestamp)
    expect(instants).not.toContain(NOW)
  })

  it('apply to a deleted point immediately, and not to a point that was just created', async () => {
    const element = stack.idOf(stack.building.elements[0]!.key)
    const graph = base.replace('/telemetry', '/points')
    const body = { elementId: element, pointType: 'SENSOR', name: 'New', quantityKind: 'Temperature', unit: 'DEG_C' }
    const { id } = (await stack.send('POST', graph, body)).body
    expect((await post([{ pointId: id, value: '1' }])).status).toBe(202)
    expect(await history(id)).toHaveLength(1)
    await stack.send('DELETE', `${graph}/${id}`)
    expect((await post([{ pointId: id, value: '1' }])).body.pointIds).toEqual([id])
  })
})
