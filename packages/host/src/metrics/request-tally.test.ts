import type { IncomingMessage } from 'node:http'
import type { ObservedRequest } from '@storey/kit/http'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { registerRequestMetrics, registerSandboxRequests } from './request-metrics.ts'
import { createRequestTally } from './request-tally.ts'

const observed = (fields: Partial<ObservedRequest> & { method?: string }): ObservedRequest => ({
  request: { method: fields.method ?? 'GET' } as IncomingMessage,
  ...{ target: '/', startedAtMs: 0, clientAddress: '', requestId: undefined, bytes: 0, isAborted: false },
  ...{ isUpgrade: false, span: undefined },
  ...{ part: 'stack', route: '/a/:id', sandboxId: undefined, caller: undefined, status: 200, durationMs: 1 },
  ...fields,
})

describe('the metrics of requests', () => {
  it('count by part, method, route and status, with a histogram of durations', async () => {
    const registry = new Registry()
    const tally = createRequestTally()
    registerRequestMetrics(registry, tally)
    for (const durationMs of [4, 5, 30, 90_000]) tally.end!(observed({ durationMs }))
    tally.end!(observed({ status: 404, method: 'POST', durationMs: 1 }))
    const text = await registry.metrics()
    const labels = 'part="stack",method="GET",route="/a/:id"'
    expect(text).toContain(`storey_http_requests_total{${labels},status="200"} 4`)
    expect(text).toContain('storey_http_requests_total{part="stack",method="POST",route="/a/:id",status="404"} 1')
    const bucket = (le: string) => text.match(new RegExp(`_bucket\\{le="${le}",${labels}\\} (\\d+)`))?.[1]
    expect([bucket('0.005'), bucket('0.025'), bucket('0.05'), bucket('30'), bucket('\\+Inf')]).toEqual([
      ...['2', '2', '3', '3', '4'],
    ])
    expect(text).toContain(`storey_http_request_duration_seconds_count{${labels}} 4`)
    expect(text).toMatch(/storey_http_request_duration_seconds_sum\{.*method="GET".*\} 90\.039/)
  })

  it('leave the duration of WebSocket connections out of the histogram', async () => {
    const tally = createRequestTally()
    tally.end!(observed({ status: 101, durationMs: 3_600_000 }))
    const [route] = tally.routes()
    expect([route!.byStatus.get(101), route!.seconds]).toEqual([1, 0])
  })

  it('have a bounded number of label values, whatever clients and stacks send', () => {
    const tally = createRequestTally()
    for (let i = 0; i < 2_000; i++) tally.end!(observed({ route: `/r${i}`, method: `M${i}` }))
    const routes = [...tally.routes()]
    expect(routes.length).toBeLessThan(510)
    expect(new Set(routes.map(({ method }) => method))).toEqual(new Set(['other']))
    const other = routes.find(({ route }) => route === 'other')!
    expect(other.byStatus.get(200)! + routes.length - 1).toBe(2_000)
  })

  it('have values only for sandboxes that are awake', async () => {
    const registry = new Registry()
    const tally = createRequestTally()
    registerSandboxRequests(registry, tally, () => ['sbx_a'])
    for (const sandboxId of ['sbx_a', 'sbx_a', 'sbx_b']) tally.end!(observed({ sandboxId, status: 503 }))
    expect(await registry.metrics()).toContain('storey_stack_http_requests_total{sandbox="sbx_a",code="5xx"} 2')
    expect(await registry.metrics()).not.toContain('sbx_b')
    tally.keepSandboxes(new Set(['sbx_b']))
    expect([...tally.sandboxes.keys()]).toEqual(['sbx_b'])
  })

  it('include the number of requests in progress', () => {
    const tally = createRequestTally()
    tally.begin!(observed({}))
    tally.begin!(observed({}))
    tally.end!(observed({}))
    expect(tally.inProgress()).toBe(1)
  })
})
