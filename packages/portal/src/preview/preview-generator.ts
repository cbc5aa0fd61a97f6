import type { Preview, PreviewRequest } from './preview.ts'

export interface PreviewGenerator {
  generate(request: PreviewRequest): void
  stop(): void
}

export interface PreviewResult {
  preview?: Preview
  error?: string
}

/** The part of the Worker interface that is used here. */
export interface PreviewWorker {
  postMessage(request: PreviewRequest): void
  terminate(): void
  onmessage: ((event: MessageEvent<PreviewResult>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
}

/** The worker gets one request at a time. A worker that fails is replaced, because it might never answer again. */
export function createPreviewGenerator(
  startWorker: () => PreviewWorker,
  onResult: (result: PreviewResult, isGenerating: boolean) => void,
): PreviewGenerator {
  let worker: PreviewWorker | undefined
  let isBusy = false
  let next: PreviewRequest | undefined

  function start(): PreviewWorker {
    const started = startWorker()
    started.onmessage = ({ data }) => finish(data)
    started.onerror = ({ message }) => {
      started.terminate()
      worker = undefined
      finish({ error: message })
    }
    return started
  }

  function finish(result: PreviewResult): void {
    const waiting = next
    isBusy = false
    next = undefined
    onResult(result, waiting !== undefined)
    if (waiting) send(waiting)
  }

  function send(request: PreviewRequest): void {
    isBusy = true
    worker ??= start()
    worker.postMessage(request)
  }

  return {
    generate(request) {
      if (isBusy) next = request
      else send(request)
    },
    stop: () => worker?.terminate(),
  }
}
