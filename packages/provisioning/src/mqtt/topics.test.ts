import { describe, expect, it } from 'vitest'
import { errorsTopic, matches, maySubscribe, readTelemetryTopic, telemetryTopic } from './topics.ts'

const own = { organizationId: 'org_a', siteId: 's', buildingId: 'b' }

describe('topics', () => {
  it('contain an organization, a site and a building', () => {
    expect(readTelemetryTopic(telemetryTopic(own))).toEqual(own)
    const others = [
      'svc/org_a/s/b',
      errorsTopic(own),
      'svc/org_a/s/telemetry',
      '/svc/org_a/s/b/telemetry',
      'x/o/s/b/telemetry',
    ]
    for (const other of others) expect(readTelemetryTopic(other), other).toBeUndefined()
  })

  it.each([
    ['a/b', 'a/b', true],
    ['a/+', 'a/b', true],
    ['a/+', 'a/b/c', false],
    ['a/+/c', 'a/b/c', true],
    ['a/#', 'a/b/c', true],
    ['a/#', 'a', true],
    ['a/#/c', 'a/b/c', false],
    ['a/b/c', 'a/b', false],
    ['+', 'a', true],
    ['a/', 'a', false],
  ])('match filters as MQTT defines: the filter %s, the topic %s: %s', (filter, topic, expected) =>
    expect(matches(filter, topic)).toBe(expected),
  )

  it('[MQT-10] may be read only inside the client’s own organization', () => {
    for (const filter of ['svc/org_a/#', 'svc/org_a/+/+/telemetry/errors', errorsTopic(own)])
      expect(maySubscribe(filter, own), filter).toBe(true)
    expect(maySubscribe(errorsTopic(own), { ...own, siteId: null, buildingId: null })).toBe(true)
    for (const filter of ['#', 'svc/#', 'svc/+/s/b/telemetry/errors', 'svc/org_ab/#', '$SYS/#', telemetryTopic(own)])
      expect(maySubscribe(filter, own), filter).toBe(false)
  })
})
