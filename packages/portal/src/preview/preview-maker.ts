import type { Preview, PreviewRequest } from './preview.ts'

export interface Maker {
  make(request: PreviewRequest): void
  stop(): void
}

export interface Answer {
  preview?: Preview
  error?: string
}

/** The part of a browser's Worker that is used here. */
export interface PreviewWorker {
  postMessage(request: PreviewRequest): void
  terminate(): void
  onmessage: ((event: MessageEvent<Answer>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
}

/** One request is with the worker at a time. A worker that fails is replaced: it may never answer again. */
export function createMaker(
  startWorker: () => PreviewWorker,
  tell: (answer: Answer, isMaking: boolean) => void,
): Maker {
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

  function finish(answer: Answer): void {
    const waiting = next
    isBusy = false
    next = undefined
    tell(answer, waiting !== undefined)
    if (waiting) send(waiting)
  }

  function send(request: PreviewRequest): void {
    isBusy = true
    worker ??= start()
    worker.postMessage(request)
  }

  return {
    make(request) {
      if (isBusy) next = request
      else send(request)
    },
    stop: () => worker?.terminate(),
  }
}
