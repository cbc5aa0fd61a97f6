/** The browser's animation frames; absent elsewhere. */
interface Screen {
  requestAnimationFrame?(callback: () => void): number
  cancelAnimationFrame?(frame: number): void
  document?: { hidden: boolean }
}
const screen = globalThis as Screen

/**
 * Calls back before the next frame, or after a timeout where there are no frames: outside a browser, and while the page
 * is in the background. Returns a function that cancels the call.
 */
export function onFrame(callback: () => void): () => void {
  if (!screen.requestAnimationFrame || screen.document?.hidden) {
    const timer = setTimeout(callback, 16)
    return () => clearTimeout(timer)
  }
  const frame = screen.requestAnimationFrame(callback)
  return () => screen.cancelAnimationFrame?.(frame)
}
