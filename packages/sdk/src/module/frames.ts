/** What a browser has for drawing; elsewhere there is none of it. */
interface Screen {
  requestAnimationFrame?(callback: () => void): number
  cancelAnimationFrame?(frame: number): void
  document?: { hidden: boolean }
}
const screen = globalThis as Screen

/** Calls back before the next picture is drawn. A page in the background draws none, and is still to be told. */
export function onFrame(callback: () => void): () => void {
  if (!screen.requestAnimationFrame || screen.document?.hidden) {
    const timer = setTimeout(callback, 16)
    return () => clearTimeout(timer)
  }
  const frame = screen.requestAnimationFrame(callback)
  return () => screen.cancelAnimationFrame?.(frame)
}
