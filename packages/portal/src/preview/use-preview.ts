import { useEffect, useRef, useState } from 'react'
import type { Preview, PreviewRequest } from './preview.ts'
import { createPreviewGenerator, type PreviewGenerator } from './preview-generator.ts'

export interface PreviewState {
  preview: Preview | undefined
  isGenerating: boolean
  error: string | undefined
  /** The preview belongs to an earlier request, because the current one is invalid or failed. */
  isOutdated: boolean
}

/** The preview is generated this long after the last change. */
const DEBOUNCE_MS = 200

/**
 * Generates the preview of a request in a worker. The last preview stays visible until the next one is ready, and while
 * there is no request because the form is invalid.
 */
export function usePreview(request: PreviewRequest | undefined): PreviewState {
  const [state, setState] = useState<Omit<PreviewState, 'isOutdated'>>({
    preview: undefined,
    isGenerating: true,
    error: undefined,
  })
  const generator = useRef<PreviewGenerator>(undefined)
  useEffect(() => {
    generator.current = createPreviewGenerator(
      () => new Worker(new URL('./preview.worker.ts', import.meta.url), { type: 'module' }),
      (result, isGenerating) =>
        setState(({ preview }) => ({ preview: result.preview ?? preview, error: result.error, isGenerating })),
    )
    return () => generator.current?.stop()
  }, [])

  const requestKey = request && JSON.stringify(request)
  useEffect(() => {
    if (requestKey === undefined) {
      setState(({ preview }) => ({ preview, isGenerating: false, error: undefined }))
      return
    }
    setState((before) => ({ ...before, isGenerating: true }))
    const timer = setTimeout(() => generator.current?.generate(JSON.parse(requestKey)), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [requestKey])
  const isOutdated = (requestKey === undefined || state.error !== undefined) && state.preview !== undefined
  return { ...state, isOutdated }
}
