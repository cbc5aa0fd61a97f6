import { useEffect, useRef, useState } from 'react'
import type { Preview, PreviewRequest } from './preview.ts'

export interface Previewed {
  preview: Preview | undefined
  isMaking: boolean
  error: string | undefined
  /** The building is that of an earlier request: of the one at hand nothing can be made. */
  isOld: boolean
}

/** Until somebody has stopped typing. */
const PAUSE_MS = 200

/**
 * The building of the request, made in a worker. While one is being made the last stays in sight; of several requests
 * in the meantime only the last is made. Undefined: nothing can be made of what was asked for.
 */
export function usePreview(request: PreviewRequest | undefined): Previewed {
  const [state, setState] = useState<Omit<Previewed, 'isOld'>>({ preview: undefined, isMaking: true, error: undefined })
  const maker = useRef<Maker>(undefined)
  useEffect(() => {
    maker.current = startMaker((answer, isMaking) =>
      setState(({ preview }) => ({ preview: answer.preview ?? preview, error: answer.error, isMaking })),
    )
    return () => maker.current?.stop()
  }, [])

  const wanted = request && JSON.stringify(request)
  useEffect(() => {
    if (wanted === undefined) {
      setState(({ preview }) => ({ preview, isMaking: false, error: undefined }))
      return
    }
    setState((before) => ({ ...before, isMaking: true }))
    const timer = setTimeout(() => maker.current?.make(JSON.parse(wanted)), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [wanted])
  return { ...state, isOld: wanted === undefined && state.preview !== undefined }
}

interface Maker {
  make(request: PreviewRequest): void
  stop(): void
}

interface Answer {
  preview?: Preview
  error?: string
}

function startMaker(tell: (answer: Answer, isMaking: boolean) => void): Maker {
  const worker = new Worker(new URL('./preview.worker.ts', import.meta.url), { type: 'module' })
  let isBusy = false
  let next: PreviewRequest | undefined
  const send = (request: PreviewRequest) => {
    isBusy = true
    worker.postMessage(request)
  }
  worker.onmessage = ({ data }: MessageEvent<Answer>) => {
    isBusy = false
    tell(data, next !== undefined)
    if (next) send(next)
    next = undefined
  }
  worker.onerror = ({ message }) => tell({ error: message }, false)
  return {
    make(request) {
      if (isBusy) next = request
      else send(request)
    },
    stop: () => worker.terminate(),
  }
}
