import { useEffect, useRef, useState } from 'react'
import type { Preview, PreviewRequest } from './preview.ts'
import { createMaker, type Maker } from './preview-maker.ts'

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
    maker.current = createMaker(
      () => new Worker(new URL('./preview.worker.ts', import.meta.url), { type: 'module' }),
      (answer, isMaking) =>
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
  const isOld = (wanted === undefined || state.error !== undefined) && state.preview !== undefined
  return { ...state, isOld }
}
