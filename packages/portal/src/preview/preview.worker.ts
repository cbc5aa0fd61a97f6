import { type PreviewRequest, previewOf } from './preview.ts'

/** Generates previews in a worker: a large building takes a second or two, which would block the page. */
self.onmessage = ({ data }: MessageEvent<PreviewRequest>) => {
  try {
    self.postMessage({ preview: previewOf(data) })
  } catch (error) {
    self.postMessage({ error: (error as Error).message })
  }
}
