import { STACK_CHANGED } from '@storey/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'
import { kindsOf } from './index.ts'

let stack: TestStack
let building: string
let spaceId: string
const published: string[][] = []
beforeAll(async () => {
  stack = await startTestStack()
  building = `/api/v1/buildings/${stack.seeded.buildingId}`
  spaceId = stack.idOf(stack.building.spaces[0]!.key)
  stack.bus().subscribe(STACK_CHANGED, ({ buildingId, fields }) => {
    expect(buildingId).toBe(stack.seeded.buildingId)
    published.push(kindsOf(fields).sort())
  })
})
afterAll(() => stack.close())
beforeEach(() => void published.splice(0))

/** Sends a request, and returns its response with the kinds that each transaction changed. */
async function sent(...[method, path, body]: Parameters<TestStack['send']>) {
  published.length = 0
  const answer = await stack.send(method, path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return { body: answer.body, kinds: published.splice(0) }
}

describe('[LIV-18] a commit', () => {
  it('publishes changes of the graph', async () => {
    expect((await sent('PATCH', `${building}/spaces/${spaceId}`, { name: 'Another name' })).kinds).toEqual([['graph']])
    // Setting the same name again is not a change.
    expect((await sent('PATCH', `${building}/spaces/${spaceId}`, { name: 'Another name' })).kinds).toEqual([])
    const storeyId = stack.idOf(stack.building.storeys[0]!.key)
    const { body } = await sent('POST', `${building}/spaces`, { name: 'New', storeyId, spaceTypeSlug: 'library' })
    expect((await sent('DELETE', `${building}/spaces/${body.id}`)).kinds).toEqual([['graph', 'layers']])
  })

  it('publishes changes of layers and their values', async () => {
    const layers = `${building}/data-layers`
    const made = await sent('POST', layers, { key: 'published', name: 'Published', valueType: 'NUMBER' })
    expect(made.kinds).toEqual([['layers']])
    const one = `${layers}/${made.body.id}`
    expect((await sent('PATCH', one, { name: 'Renamed' })).kinds).toEqual([['layers']])
    expect((await sent('PUT', `${one}/values`, { keyBy: 'id', values: { [spaceId]: 1 } })).kinds).toEqual([['layers']])
    expect((await sent('PUT', `${one}/values`, { keyBy: 'id', values: {} })).kinds).toEqual([])
    expect((await sent('DELETE', one)).kinds).toEqual([['layers']])
  })

  it('publishes changes of changesets, and of the graph when a changeset is applied', async () => {
    const operations = [{ op: 'update', kind: 'space', id: spaceId, data: { name: 'By a changeset' } }]
    const made = await sent('POST', `${building}/changesets`, { title: 'A change', operations })
    expect(made.kinds).toEqual([['changesets']])
    const one = `${building}/changesets/${made.body.id}`
    const steps: [step: string, body: object | undefined, kinds: string[]][] = [
      ['submit', undefined, ['changesets']],
      ['review', { decision: 'approve' }, ['changesets']],
      ['apply', undefined, ['changesets', 'graph']],
      ['revert', undefined, ['changesets', 'graph']],
    ]
    for (const [step, body, kinds] of steps) {
      expect((await sent('POST', `${one}/${step}`, body)).kinds, step).toEqual([kinds])
    }
  })

  it('publishes changes of requests and their comments', async () => {
    const { buildingId } = stack.seeded
    const made = await sent('POST', '/api/service-desk/requests', { buildingId, title: 'A request' })
    expect(made.kinds).toEqual([['requests']])
    const one = `/api/service-desk/requests/${made.body.id}`
    expect((await sent('PATCH', one, { title: 'Another title' })).kinds).toEqual([['requests']])
    expect((await sent('POST', `${one}/comments`, { text: 'Hello' })).kinds).toEqual([['requests']])
  })

  it('publishes changes of faults and their rules', async () => {
    const [point] = stack.building.points
    const pointId = stack.idOf(point!.key)
    const rule = { kind: 'threshold', name: 'Too high', severity: 'minor', pointId, above: 1e6 }
    const made = await sent('POST', `${building}/fault-rules`, rule)
    expect(made.kinds).toEqual([['faults']])
    const observe = async (value: string) => {
      const { kinds } = await sent('POST', `${building}/telemetry/observations`, { observations: [{ pointId, value }] })
      expect(kinds).toEqual([])
      await stack.faults().idle()
      return published.splice(0)
    }
    expect(await observe('2000000')).toEqual([['faults']])
    expect(await observe('2000001')).toEqual([])
    const { data } = (await stack.get(`${building}/faults?pointId=${pointId}&state=open`)).body
    expect((await sent('POST', `${building}/faults/${data[0].id}/acknowledge`)).kinds).toEqual([['faults']])
    expect(await observe('1')).toEqual([['faults']])
    expect((await sent('DELETE', `${building}/fault-rules/${made.body.id}`)).kinds).toEqual([['faults']])
  })

  it('publishes that an import of a model waits, runs and ends', async () => {
    published.length = 0
    const headers = { 'content-type': 'application/x-step' }
    const { status } = await stack.send('POST', `${building}/import/ifc`, 'not a model', undefined, headers)
    expect(status).toBe(202)
    await expect.poll(() => published).toEqual([['imports'], ['imports'], ['imports']])
    const { data } = (await stack.get(`${building}/imports`)).body
    expect(data).toMatchObject([{ status: 'failed' }])
  })

  it('publishes changes of snapshots', async () => {
    const made = await sent('POST', `${building}/snapshots`, { name: 'as-built' })
    expect(made.kinds).toEqual([['snapshots']])
    expect((await sent('DELETE', `${building}/snapshots/${made.body.id}`)).kinds).toEqual([['snapshots']])
  })
})

describe('[LIV-24] a commit', () => {
  it('publishes changes of the simulation and its injected faults', async () => {
    const simulation = `${building}/simulation`
    // The simulator runs beside this test, and its observations may raise a fault.
    const changed = async (...call: Parameters<typeof sent>) => {
      const { body, kinds } = await sent(...call)
      return { body, kinds: kinds.filter(([kind]) => kind !== 'faults') }
    }
    expect((await changed('POST', simulation, { running: true })).kinds).toEqual([['simulation']])
    expect((await changed('POST', simulation, { running: true })).kinds).toEqual([])
    const nodeId = stack.idOf(stack.building.storeys[0]!.key)
    const made = await changed('POST', `${simulation}/inject`, { fault: 'silent-gateway', nodeId, minutes: 5 })
    expect(made.kinds).toEqual([['simulation']])
    expect((await changed('DELETE', `${simulation}/inject/${made.body.id}`)).kinds).toEqual([['simulation']])
    expect((await changed('POST', simulation, { running: false })).kinds).toEqual([['simulation']])
  })

  it('publishes changes of webhooks and of their deliveries', async () => {
    const events = ['building.point.updated']
    const made = await sent('POST', '/api/v1/webhooks', { url: 'http://127.0.0.1:9/', events })
    expect(made.kinds).toEqual([['webhooks']])
    const one = `/api/v1/webhooks/${made.body.id}`
    expect((await sent('PATCH', one, { status: 'paused' })).kinds).toEqual([['webhooks']])
    expect((await sent('POST', `${one}/reset-failures`)).kinds).toEqual([['webhooks']])
    expect((await sent('POST', `${one}/test`)).kinds).toEqual([['webhooks']])
    const pointId = stack.idOf(stack.building.points[0]!.key)
    await sent('POST', `${building}/telemetry/observations`, { observations: [{ pointId, value: '1' }] })
    await stack.webhooks().idle()
    expect(published).toEqual([['webhooks']])
    expect((await sent('DELETE', one)).kinds).toEqual([['webhooks']])
  })
})

it('[LIV-18] a refused change publishes nothing', async () => {
  const refused = [
    await stack.send('PATCH', `${building}/spaces/${spaceId}`, { storeyId: stack.seeded.buildingId }),
    await stack.send('POST', `${building}/data-layers`, { key: 'bad', name: 'Bad', valueType: 'TEXT' }),
    await stack.send('DELETE', `${building}/snapshots/none`),
  ]
  for (const { status } of refused) expect(status).toBeGreaterThanOrEqual(400)
  expect(published).toEqual([])
})
