import type { EndedSpan, SpanBatch } from './otlp/index.ts'
import type { TracingSettings } from './settings.ts'
import { runDetached } from './tracing.ts'

export interface SpanQueue {
  add(span: EndedSpan): void
  /** Sends the waiting spans. */
  flush(): Promise<void>
}

export interface SpanQueueOptions extends Pick<TracingSettings, 'delayMs' | 'maxWaiting' | 'maxBatch'> {
  createBatch(): SpanBatch
  /** Never rejects: what cannot be sent is dropped. */
  send(batch: SpanBatch): Promise<void>
  /** Called for each span that is dropped because too many spans wait. */
  onDropped(): void
}

/** Collects spans into batches, and sends one batch after the other: a full batch at once, any other after a delay. */
export function createSpanQueue(options: SpanQueueOptions): SpanQueue {
  const { delayMs, maxWaiting, maxBatch, createBatch, send, onDropped } = options
  const full: SpanBatch[] = []
  let batch = createBatch()
  let waiting = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined

  function close(): void {
    clearTimeout(timer)
    timer = undefined
    if (batch.count === 0) return
    full.push(batch)
    batch = createBatch()
  }

  async function sendAll(): Promise<void> {
    for (let next = full.shift(); next !== undefined; next = full.shift()) {
      waiting -= next.count
      await send(next)
    }
    sending = undefined
  }

  /** Runs detached: an export begins when some request ends, but does not belong to the trace of that request. */
  async function start(): Promise<void> {
    if (full.length > 0) sending ??= runDetached(sendAll)
    await sending
  }

  function sendRest(): void {
    close()
    void start()
  }

  return {
    add(span) {
      if (waiting >= maxWaiting) return onDropped()
      waiting++
      batch.add(span)
      if (batch.count >= maxBatch) sendRest()
      else timer ??= runDetached(() => setTimeout(sendRest, delayMs).unref())
    },
    async flush() {
      close()
      await start()
    },
  }
}
