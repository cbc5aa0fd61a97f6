import { expect, it } from 'vitest'
import { createBatches, type EndedSpan, SPAN_KINDS } from './otlp/index.ts'
import { createSpanQueue } from './span-queue.ts'

const SPAN: EndedSpan = {
  ...{ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceState: undefined, parentSpanId: undefined },
  ...{ isParentRemote: false, name: 'work', kind: SPAN_KINDS.internal, startedAtMs: 0, endedAtMs: 1 },
  ...{ attributes: {}, hasFailed: false },
}

it('sends spans that are added after a flush of the empty queue', async () => {
  const sent: number[] = []
  const queue = createSpanQueue({
    ...{ delayMs: 60_000, maxWaiting: 4, maxBatch: 2, onDropped: () => undefined },
    createBatch: createBatches('http/json', { resource: {}, scope: { name: 'test', version: '1' } }),
    send: async ({ count }) => void sent.push(count),
  })
  await queue.flush()
  for (let i = 0; i < 3; i++) queue.add(SPAN)
  await queue.flush()
  expect(sent).toEqual([2, 1])
})
