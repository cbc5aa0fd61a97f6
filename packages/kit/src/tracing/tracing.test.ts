import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createLoop } from '../background/index.ts'
import { createLog, silentLog } from '../log.ts'
import { openTestTracing } from '../testing/open-test-tracing.ts'
import { type ReceiverMode, startTraceReceiver, type TraceReceiver } from '../testing/trace-receiver.ts'
import {
  activeSpan,
  inSpan,
  isTracing,
  type RemoteParent,
  recordWait,
  runDetached,
  runInSpan,
  startChild,
  startServerSpan,
  startSpan,
  traceFields,
  traceHeaders,
} from './index.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function open(variables: Record<string, string> = {}, mode?: ReceiverMode) {
  const receiver = await startTraceReceiver(mode)
  ends.push(receiver.stop)
  const tracing = await openTestTracing(receiver, variables)
  ends.push(tracing.close)
  return { receiver, tracing }
}

const untilReceived = (receiver: TraceReceiver, count: number) =>
  expect.poll(() => receiver.spans.length, { timeout: 10_000 }).toBe(count)

describe('tracing that is off', () => {
  it('runs all work, and creates no spans', async () => {
    expect(isTracing()).toBe(false)
    expect(await inSpan({ name: 'work' }, async (span) => span)).toBeUndefined()
    expect(startSpan({ name: 'x' })).toBeUndefined()
    expect(startServerSpan({ name: 'x' }, undefined)).toBeUndefined()
    expect(startChild({ name: 'x' })).toBeUndefined()
    expect(runDetached(() => 1)).toBe(1)
    expect(traceFields()).toEqual({})
    expect(traceHeaders()).toEqual({})
    recordWait('x', 0)
  })
})

describe('spans', () => {
  it('are a tree, with the attributes of their process', async () => {
    const { receiver } = await open({ OTEL_RESOURCE_ATTRIBUTES: 'team=twin', OTEL_EXPORTER_OTLP_HEADERS: 'k=v%20w' })
    await inSpan({ name: 'outer', kind: 'consumer', attributes: { a: 1, b: true } }, async (span) => {
      expect(activeSpan()).toBe(span)
      expect(traceFields()).toEqual({ trace_id: span!.traceId, span_id: span!.spanId })
      await sleep(1)
      await inSpan({ name: 'inner' }, async () => startChild({ name: 'innermost', kind: 'client' })?.end())
    })
    expect(activeSpan()).toBeUndefined()
    await untilReceived(receiver, 3)
    const [outer, inner, innermost] = ['outer', 'inner', 'innermost'].map((name) => receiver.named(name)[0]!)
    expect(outer).toMatchObject({ parentSpanId: '', kind: 5, attributes: { a: 1, b: true }, hasFailed: false })
    expect(inner).toMatchObject({ parentSpanId: outer!.spanId, kind: 1 })
    expect(innermost).toMatchObject({ parentSpanId: inner!.spanId, kind: 3 })
    expect(outer!.startMs).toBeLessThanOrEqual(inner!.startMs)
    expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(outer!.resource).toMatchObject({
      'service.name': 'test',
      'service.version': expect.any(String),
      'service.instance.id': expect.any(String),
      team: 'twin',
    })
    expect(receiver.requests[0]).toMatchObject({ path: '/v1/traces', headers: { k: 'v w' } })
  })

  it('are marked as failed with the type of an error, and without its message', async () => {
    const { receiver } = await open()
    const failing = inSpan({ name: 'failing' }, async () => {
      throw Object.assign(new Error('Key (email)=(a@b.c) already exists'), { code: '23505' })
    })
    await expect(failing).rejects.toThrow('already exists')
    await untilReceived(receiver, 1)
    expect(receiver.spans[0]).toMatchObject({ hasFailed: true, attributes: { 'error.type': '23505' } })
    expect(JSON.stringify(receiver.spans)).not.toContain('a@b.c')
  })

  it('have a child span for each wait that is not short', async () => {
    const { receiver } = await open()
    await inSpan({ name: 'work' }, async () => {
      const from = performance.now()
      recordWait('short wait', from)
      await sleep(20)
      recordWait('long wait', from)
    })
    await untilReceived(receiver, 2)
    const [wait] = receiver.named('long wait')
    expect(wait!.endMs - wait!.startMs).toBeGreaterThan(15)
    expect(wait!.parentSpanId).toBe(receiver.named('work')[0]!.spanId)
  })

  it('have a bounded number of children', async () => {
    const { receiver } = await open()
    await inSpan({ name: 'import' }, async () => {
      for (let i = 0; i < 1_000; i++) startChild({ name: 'statement' })?.end()
    })
    await expect.poll(() => receiver.named('import')).toHaveLength(1)
    expect(receiver.named('statement')).toHaveLength(255)
    expect(receiver.named('import')[0]!.attributes).toEqual({ 'storey.spans.truncated': true })
  })

  it('have no children after their end', async () => {
    const { receiver } = await open()
    const request = startSpan({ name: 'request' })!
    runInSpan(request, () => {
      request.end()
      expect(startChild({ name: 'late' })).toBeUndefined()
    })
    await untilReceived(receiver, 1)
  })

  it('do not contain background work that is woken during the span', async () => {
    const { receiver } = await open()
    const seen: unknown[] = []
    const loop = createLoop({
      name: 'test',
      log: silentLog,
      async run() {
        seen.push(activeSpan())
      },
    })
    await inSpan({ name: 'request' }, async () => {
      const running = loop.runNow()
      // Because of this call, the loop runs a second time.
      loop.wake()
      await running
      await loop.idle()
    })
    await loop.stop()
    expect(seen).toEqual([undefined, undefined])
    await untilReceived(receiver, 1)
  })
})

describe('log lines', () => {
  it('[TRC-03] have the ids of the trace and the span that are active', async () => {
    await open()
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const log = createLog({ level: 'info', form: 'lines', name: 'test' }).child({ loop: 'x' })
    log.info('outside')
    const span = await inSpan({ name: 'work' }, async (span) => {
      log.info({ own: 1 }, 'inside')
      return span!
    })
    log.info('after')
    const lines = written.mock.calls.map(([line]) =>
      String(line)
        .replace(/^\S+ +/, '')
        .trim(),
    )
    written.mockRestore()
    expect(lines).toEqual(['info  outside loop=x', expect.stringMatching(/^info {2}inside /), 'info  after loop=x'])
    expect(lines[1]).toContain(`trace_id=${span.traceId} span_id=${span.spanId}`)
  })
})

describe('the context of a request', () => {
  const TRACE = '0af7651916cd43dd8448eb211c80319c'
  const PARENT = 'b7ad6b7169203331'
  const from = (sender: RemoteParent['sender'], flags: string, traceId = TRACE) =>
    startServerSpan({ name: 'request', kind: 'server' }, { traceparent: `00-${traceId}-${PARENT}-${flags}`, sender })!

  it('is taken from the sender and passed on together with the vendor state', async () => {
    const { receiver } = await open()
    const traceparent = `00-${TRACE}-${PARENT}-01`
    const span = startServerSpan({ name: 'request' }, { traceparent, tracestate: 'vendor=1', sender: 'client' })!
    expect(span.traceId).toBe(TRACE)
    runInSpan(span, () =>
      expect(traceHeaders()).toEqual({ traceparent: `00-${TRACE}-${span.spanId}-01`, tracestate: 'vendor=1' }),
    )
    span.end()
    await untilReceived(receiver, 1)
    expect(receiver.spans[0]).toMatchObject({ traceId: TRACE, parentSpanId: PARENT })
  })

  it.each(['', 'nonsense', `00-${'0'.repeat(32)}-${PARENT}-01`, `ff-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}`])(
    'is ignored if it is invalid: %s',
    async (traceparent) => {
      await open()
      const span = startServerSpan({ name: 'request' }, { traceparent, sender: 'gateway' })!
      expect(span.traceId).toMatch(/^[0-9a-f]{32}$/)
      expect(span.traceId).not.toBe(TRACE)
      expect(span.isRecording()).toBe(true)
    },
  )

  it('[TRC-02] of a client does not decide whether the request is sampled', async () => {
    await open({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' })
    expect(from('client', '01').isRecording()).toBe(false)
    await ends.splice(0).pop()!()
    await open({ OTEL_TRACES_SAMPLER: 'parentbased_always_on' })
    expect(from('client', '00').isRecording()).toBe(true)
  })

  it('of a client does not make a sampler with a ratio include every request, whichever trace id the client chooses', async () => {
    await open({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' })
    const chosen = '00000000000000000000000000000001'
    const sampled = Array.from({ length: 400 }, () => from('client', '01', chosen)).filter((span) => span.isRecording())
    expect(sampled.length).toBeGreaterThan(100)
    expect(sampled.length).toBeLessThan(300)
  })

  it('[TRC-02] of a trusted proxy decides whether the request is sampled, if the sampler follows parents', async () => {
    await open({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' })
    expect([from('proxy', '01').isRecording(), from('proxy', '00').isRecording()]).toEqual([true, false])
    await ends.splice(0).pop()!()
    await open({ OTEL_TRACES_SAMPLER: 'always_off' })
    expect(from('proxy', '01').isRecording()).toBe(false)
  })

  it('of the gateway decides whether the request is sampled in a stack, whatever the sampler is', async () => {
    await open({ OTEL_TRACES_SAMPLER: 'always_off' })
    expect(from('gateway', '01').isRecording()).toBe(true)
    await ends.splice(0).pop()!()
    await open({ OTEL_TRACES_SAMPLER: 'always_on' })
    expect(from('gateway', '00').isRecording()).toBe(false)
  })

  it('is passed on and logged even if the trace is not sampled', async () => {
    const { receiver } = await open({ OTEL_TRACES_SAMPLER: 'always_off' })
    await inSpan({ name: 'work' }, async (span) => {
      expect(traceHeaders().traceparent).toBe(`00-${span!.traceId}-${span!.spanId}-00`)
      expect(traceFields()).toEqual({ trace_id: span!.traceId, span_id: span!.spanId })
      expect(startChild({ name: 'statement' })).toBeUndefined()
    })
    expect(receiver.requests).toEqual([])
  })
})

describe('a collector', () => {
  const work = () => inSpan({ name: 'work' }, () => inSpan({ name: 'part of it' }, async () => 1))

  it('that refuses spans is reported once, and its recovery is reported once', async () => {
    const { receiver, tracing } = await open({ OTEL_EXPORTER_OTLP_TIMEOUT: '100' }, 'refuse')
    for (let i = 0; i < 5; i++) {
      await work()
      const seen = receiver.requests.length
      await expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBeGreaterThan(seen)
    }
    await expect.poll(() => tracing.lines).toHaveLength(1)
    expect(tracing.lines[0]).toMatch(/^failing: [\w ]+$/)
    receiver.mode = 'accept'
    await expect
      .poll(async () => {
        await work()
        return tracing.lines.length
      })
      .toBe(2)
    expect(tracing.lines[1]).toMatch(/^recovered: [1-9]\d*$/)
  })

  it('that is down is reported once, with the reason', async () => {
    const { receiver, tracing } = await open({ OTEL_EXPORTER_OTLP_TIMEOUT: '100' })
    await receiver.stop()
    for (let i = 0; i < 5; i++) {
      await work()
      await sleep(30)
    }
    await expect.poll(() => tracing.lines).toHaveLength(1)
    expect(tracing.lines[0]).toContain('ECONNREFUSED')
    ends.length = 0
    await tracing.close()
  })

  it('[TRC-04] that does not answer causes spans above the limit to be dropped, and gets the others once it answers', async () => {
    const limits = { OTEL_BSP_MAX_QUEUE_SIZE: '50', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10' }
    const { receiver, tracing } = await open({ ...limits, OTEL_EXPORTER_OTLP_TIMEOUT: '60000' }, 'hang')
    for (let i = 0; i < 10_000; i++) startSpan({ name: 'work' })!.end()
    await expect.poll(() => receiver.requests.length).toBe(1)
    receiver.answerAll()
    // One export of 10 spans was in progress, and 50 further spans waited.
    await expect.poll(() => receiver.spans.length).toBeGreaterThanOrEqual(10 + 50)
    await tracing.close()
    expect(receiver.spans).toHaveLength(10 + 50)
  })

  it('[TRC-04] that never answers delays the end of the process by less than the time limit of an export', {
    timeout: 30_000,
  }, async () => {
    const { receiver, tracing } = await open({ OTEL_EXPORTER_OTLP_TIMEOUT: '60000' }, 'hang')
    await work()
    await expect.poll(() => receiver.requests.length).toBe(1)
    await tracing.close()
    expect(receiver.spans).toEqual([])
  })

  it('gets the spans that are still unsent when the process ends', async () => {
    const { receiver, tracing } = await open({ OTEL_BSP_SCHEDULE_DELAY: '60000' })
    await work()
    expect(receiver.spans).toEqual([])
    await tracing.close()
    expect(receiver.spans).toHaveLength(2)
    expect(isTracing()).toBe(false)
  })
})
