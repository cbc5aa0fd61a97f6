import { setTimeout as sleep } from 'node:timers/promises'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { collectProcessMetrics } from './process-metrics.ts'

const BLOCKED_MS = 300

function block(): void {
  const end = performance.now() + BLOCKED_MS
  while (performance.now() < end);
}

it('reports how long the event loop was blocked since the last scrape, with the metric names of prom-client', async () => {
  const theirs = new Registry()
  collectDefaultMetrics({ register: theirs })
  const ours = new Registry()
  collectProcessMetrics(ours)
  const names = (registry: Registry) => registry.getMetricsAsArray().map(({ name }) => name)
  expect(names(ours).sort()).toEqual(names(theirs).sort())

  const seconds = (part: string, text: string) =>
    Number(new RegExp(`^nodejs_eventloop_lag_${part}_seconds (\\S+)$`, 'm').exec(text)?.[1])
  await sleep(20)
  await ours.metrics()
  await sleep(20)
  block()
  await sleep(20)
  const blocked = await ours.metrics()
  expect(seconds('max', blocked)).toBeGreaterThanOrEqual(BLOCKED_MS / 1000 - 0.01)
  expect(seconds('min', blocked)).toBeLessThan(seconds('max', blocked))
  const directlyAfter = await ours.metrics()
  expect(seconds('max', directlyAfter)).toBeLessThan(seconds('max', blocked))
})
