import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { registerEventMetrics } from './event-metrics.ts'

describe('the metrics of events', () => {
  it('count crashes by sandbox and reason, and exist before the first crash', async () => {
    const registry = new Registry()
    const events = registerEventMetrics(registry)
    events.stackStarted!('sbx_a', 800)
    expect(await registry.metrics()).toContain('storey_stack_crashes_total{sandbox="sbx_a",reason="memory"} 0')
    events.stackCrashed!('sbx_a', { exitCode: 75, signal: null })
    events.stackCrashed!('sbx_a', { exitCode: null, signal: 'SIGKILL' })
    events.stackCrashed!('sbx_a', { exitCode: 1, signal: null })
    events.stackStartFailed!('sbx_a', 'database')
    events.sandboxCreated!('sbx_b', 9_000)
    const text = await registry.metrics()
    for (const reason of ['memory', 'killed', 'crash'])
      expect(text).toContain(`storey_stack_crashes_total{sandbox="sbx_a",reason="${reason}"} 1`)
    expect(text).toContain('storey_stack_start_failures_total{reason="database"} 1')
    expect(text).toContain('storey_stack_start_duration_seconds_bucket{le="1"} 1')
    expect(text).toContain('storey_sandbox_creation_duration_seconds_bucket{le="10"} 1')
  })

  it('keep the counters of only the 200 sandboxes whose stacks started or crashed last', async () => {
    const registry = new Registry()
    const events = registerEventMetrics(registry)
    for (let i = 0; i < 1_000; i++) events.stackStarted!(`sbx_${i}`, 1)
    const text = await registry.metrics()
    expect(text.match(/^storey_stack_crashes_total\{/gm)).toHaveLength(200 * 3)
    expect(text).toContain('sandbox="sbx_999"')
    expect(text).not.toContain('sandbox="sbx_799"')
  })
})
