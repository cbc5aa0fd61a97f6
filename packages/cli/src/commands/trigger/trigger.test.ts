import { describe, expect, it } from 'vitest'
import { problem, type ReceivedRequest, scriptedService } from '../../testing/scripted-service.ts'
import { runTool } from '../../testing/test-context.ts'

const point = (id: string, code: string, pointType: string, name = code) => ({
  ...{ id, code, pointType, name, quantityKind: pointType === 'SENSOR' ? 'Temperature' : 'Dimensionless' },
  ...{ unit: 'DEG_C', elementId: 'e-1' },
})
const POINTS = [
  point('11111111-1111-4111-8111-111111111111', 'A.ALM', 'ALARM'),
  point('22222222-2222-4222-8222-222222222222', 'B.ALM', 'ALARM'),
  point('33333333-3333-4333-8333-333333333333', 'C.TMP', 'SENSOR', 'Twin'),
  point('44444444-4444-4444-8444-444444444444', 'D.TMP', 'SENSOR', 'Twin'),
]
const listOf = (data: readonly unknown[]) => ({ json: { data, total: data.length, limit: 200, offset: 0 } })

async function trigger(
  words: readonly string[],
  { faults = true, running = false, points = POINTS, alarm = 'true', title = 'Fire alarm' } = {},
) {
  const sent: { pointId: string; value: string }[] = []
  const { url, received } = await scriptedService(({ method, path, body }: ReceivedRequest) => {
    const [, rest = ''] = /\/buildings\/b-1\/([^?]*)/.exec(path) ?? []
    const type = new URL(path, 'http://x').searchParams.get('pointType')
    if (rest === 'points') return listOf(points.filter(({ pointType }) => type === null || pointType === type))
    const point = points.find(({ id }) => rest === `points/${id}`)
    if (point) return { json: point }
    if (rest === 'telemetry/latest') {
      const data = [POINTS[0]!, POINTS[2]!].map(({ id }, i) => ({ pointId: id, value: i === 0 ? alarm : '21.4' }))
      return { json: { data, asOf: '2026-01-01T00:00:00.000Z' } }
    }
    if (rest === 'telemetry/observations') {
      sent.push(...JSON.parse(body).observations)
      return { status: 202, json: { accepted: 1 } }
    }
    if (rest === 'faults') {
      const last = sent.at(-1)
      const fault = { id: `f-${last?.pointId}`, title, severity: 'critical' }
      return listOf(faults && last?.value === '1' ? [fault] : [])
    }
    if (rest === 'storeys') return listOf([{ id: 'st-1' }])
    if (rest === 'fault-rules') return listOf([{ kind: 'silent', enabled: true, durationSeconds: 7200 }])
    if (rest === 'simulation') return { json: { running: running || method === 'POST', speed: 60 } }
    if (rest === 'simulation/inject') return { status: 201, json: { id: 'i-1', ...JSON.parse(body) } }
    return problem(404, 'NOT_FOUND', 'No such route')
  })
  const env = { SVC_API_URL: url, SVC_API_TOKEN: 'a.b.c', SVC_BUILDING_ID: 'b-1' }
  const ended = await runTool(['trigger', ...words], { env })
  return { ...ended, sent, calls: received.map(({ method, path }) => `${method} ${path.split('b-1/')[1]}`) }
}

describe('svc trigger', () => {
  it('[CLI-43] turns on an alarm that is off, and shows the fault', async () => {
    const { code, stdout, sent } = await trigger(['alarm', '--format=json'])
    expect(code).toBe(0)
    expect(sent).toEqual([{ pointId: POINTS[1]!.id, value: '1' }])
    expect(JSON.parse(stdout)).toMatchObject({ triggered: 'alarm', code: 'B.ALM', fault: { title: 'Fire alarm' } })
  })

  it('[CLI-43] turns an active alarm off before turning it on, and reports if no rule detects the alarm', async () => {
    const again = await trigger(['alarm', '--point', 'a.alm'])
    expect(again.sent.map(({ value }) => value)).toEqual(['0', '1'])
    const none = await trigger(['alarm'], { faults: false })
    expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining('no rule reported a fault') })
  })

  it('[CLI-43] decides as the platform does whether an alarm is off', async () => {
    for (const alarm of ['0', 'off', 'open', 'normal', '0.0', '2.0']) {
      const { sent } = await trigger(['alarm'], { alarm })
      expect({ alarm, sent }).toEqual({ alarm, sent: [{ pointId: POINTS[0]!.id, value: '1' }] })
    }
    for (const alarm of ['1', 'FAULT', '-3', '0.5']) {
      const { sent } = await trigger(['alarm'], { alarm })
      expect({ alarm, sent }).toEqual({ alarm, sent: [{ pointId: POINTS[1]!.id, value: '1' }] })
    }
  })

  it('removes control characters from the title of a fault', async () => {
    const { stdout } = await trigger(['alarm'], { title: 'Fire\u001b[2J' })
    expect(stdout).toMatch(/^Fire\[2J\n/)
  })

  it('[CLI-43] sends a value, by default the last one plus 1', async () => {
    expect((await trigger(['value'])).sent).toEqual([{ pointId: POINTS[2]!.id, value: '22.4' }])
    expect((await trigger(['value', '--point', POINTS[3]!.id, '--value', '-3'])).sent).toEqual([
      { pointId: POINTS[3]!.id, value: '-3' },
    ])
    expect((await trigger(['value', '--point', 'D.TMP', '--value', 'open'])).sent).toEqual([
      { pointId: POINTS[3]!.id, value: 'open' },
    ])
  })

  it('[CLI-43] stops the observations of a storey, and starts the simulation if it does not run', async () => {
    const { code, stdout, calls } = await trigger(['outage', '--minutes', '10'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/10 min of simulated time, 10 s at a speed of 60/)
    expect(stdout).toMatch(/none: a rule needs 2 hours without observations/)
    const long = await trigger(['outage', '--minutes', '7200'])
    expect(long.stdout).toMatch(/after 2 hours without observations/)
    expect(calls).toContain('POST simulation')
    expect((await trigger(['outage'], { running: true })).calls).not.toContain('POST simulation')
  })

  it('[CLI-43] reports that a building without points cannot have an outage', async () => {
    const { code, stderr, calls } = await trigger(['outage'], { points: [] })
    expect(code).toBe(1)
    expect(stderr).toMatch(/has no points.*\n.*svc sandbox reset/)
    expect(calls.filter((call) => call.startsWith('POST'))).toEqual([])
  })

  it('refuses invalid options and unknown or ambiguous points', async () => {
    const wrong: [string[], number, RegExp][] = [
      [['fire'], 64, /alarm, value, outage/],
      [['alarm', '--value', '1'], 64, /--value can only be used with the trigger value/],
      [['outage', '--point', 'x'], 64, /--point cannot be used with the trigger outage/],
      [['value', '--node', 'x'], 64, /--node can only be used with the trigger outage/],
      [['value', '--point', 'Twin'], 1, /2 points are called "Twin".*\n.*C\.TMP, D\.TMP/],
      [['value', '--point', 'nope'], 1, /No point has.*"nope"/],
      [['alarm', '--point', 'C.TMP'], 1, /SENSOR point, not an ALARM point/],
    ]
    for (const [words, code, expected] of wrong) {
      const ended = await trigger(words)
      expect({ words, code: ended.code, sent: ended.sent }).toEqual({ words, code, sent: [] })
      expect(ended.stderr).toMatch(expected)
    }
  })
})
