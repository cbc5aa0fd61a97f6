import type { Output } from './output.ts'
import { safeText } from './safe-text.ts'
import { cutToWidth } from './width.ts'

const REDRAW_MS = 100
const BAR = 24
const SPINNER = { unicode: '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', ascii: '|/-\\' }

export interface Progress {
  show(step: string, percent: number | undefined): void
  /** Clears the line. */
  end(): void
}

/** A progress line on stderr; nothing if stderr is not a terminal, or with --format=json. */
export function startProgress(out: Output, now: () => number): Progress {
  if (!out.isWatched) return { show: () => undefined, end: () => undefined }
  const began = now()
  const frames = [...(out.noteStyle.unicode ? SPINNER.unicode : SPINNER.ascii)]
  let line = { step: '', percent: undefined as number | undefined }
  let frame = 0
  let hasEnded = false
  const draw = () => {
    const seconds = `${Math.floor((now() - began) / 1000)} s`
    const spin = frames[frame++ % frames.length]!
    out.raw(`\r\u001b[2K${lineOf(out, spin, line.step, line.percent, seconds)}`)
  }
  const timer = setInterval(draw, REDRAW_MS)
  timer.unref()
  return {
    show(step, percent) {
      line = { step, percent }
      draw()
    },
    end() {
      if (hasEnded) return
      hasEnded = true
      clearInterval(timer)
      out.raw('\r\u001b[2K')
    },
  }
}

/**
 * Prints a note unless the returned function is called within `ms`. On a terminal the progress line is shown instead.
 */
export function noteAfter(ms: number, out: Output, text: string): () => void {
  if (out.isWatched) return () => undefined
  const timer = setTimeout(() => out.note(safeText(text)), ms)
  timer.unref()
  return () => clearTimeout(timer)
}

function lineOf(out: Output, spin: string, step: string, percent: number | undefined, seconds: string): string {
  const unicode = out.noteStyle.unicode
  const filled = Math.round((BAR * (percent ?? 0)) / 100)
  const bar = (unicode ? '█' : '#').repeat(filled) + (unicode ? '░' : '.').repeat(BAR - filled)
  const how = percent === undefined ? '' : `  ${bar} ${String(percent).padStart(3)} %`
  // A line that wraps cannot be overwritten.
  const room = Math.max(8, out.noteColumns - how.length - seconds.length - 7)
  const words = cutToWidth(safeText(step), room)
  return `${out.paintNote('cyan', spin)} ${words}${out.paintNote('green', how)}  ${out.paintNote('dim', seconds)}`
}
