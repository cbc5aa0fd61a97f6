/** Moves through the frames of a replay, and notifies listeners in each frame of the display. It renders nothing. */
export interface Player {
  readonly frame: number
  readonly isPlaying: boolean
  readonly speed: number
  /** Plays from the current frame, or from the start if the last frame is shown. */
  play(): void
  pause(): void
  /** Shows a frame and pauses. */
  seek(frame: number): void
  setSpeed(speed: number): void
  /** Calls the listener in each frame of the display while playing, and after each pause and seek. */
  onFrame(listener: () => void): () => void
  /** Calls the listener when playing starts or ends, after a seek, and when the speed changes. */
  onChange(listener: () => void): () => void
  close(): void
}

export interface PlayerOptions {
  count: number
  start: number
  /** How long it takes to play the whole range at speed 1. */
  durationMs: number
  /** Like `requestAnimationFrame`, but returns a function that cancels the request. */
  requestFrame(callback: (at: number) => void): () => void
}

/**
 * The maximum elapsed time that counts between two calls of `tick`. A hidden page gets no calls: when it is shown
 * again, the replay continues where it was instead of jumping.
 */
const MAX_STEP_MS = 250

export function createPlayer({ count, start, durationMs, requestFrame }: PlayerOptions): Player {
  const onFrame = new Set<() => void>()
  const onChange = new Set<() => void>()
  const last = count - 1
  let position = Math.min(Math.max(start, 0), last)
  let speed = 1
  let before: number | undefined
  let cancel: (() => void) | undefined
  const notify = (listeners: ReadonlySet<() => void>) => {
    for (const listener of listeners) listener()
  }
  const stop = () => {
    cancel?.()
    cancel = undefined
    before = undefined
  }
  const tick = (at: number) => {
    const elapsed = Math.min(at - (before ?? at), MAX_STEP_MS)
    before = at
    position = Math.min(position + (elapsed / durationMs) * count * speed, last)
    if (position === last) {
      stop()
      notify(onFrame)
      notify(onChange)
      return
    }
    cancel = requestFrame(tick)
    notify(onFrame)
  }
  return {
    get frame() {
      return Math.floor(position)
    },
    get isPlaying() {
      return cancel !== undefined
    },
    get speed() {
      return speed
    },
    play() {
      if (cancel) return
      if (position === last) position = 0
      cancel = requestFrame(tick)
      notify(onChange)
    },
    pause() {
      if (!cancel) return
      stop()
      // While the replay plays, labels can be behind the shown frame. This call updates them.
      notify(onFrame)
      notify(onChange)
    },
    seek(frame) {
      stop()
      position = Math.min(Math.max(frame, 0), last)
      notify(onFrame)
      notify(onChange)
    },
    setSpeed(next) {
      speed = next
      notify(onChange)
    },
    onFrame(listener) {
      onFrame.add(listener)
      return () => void onFrame.delete(listener)
    },
    onChange(listener) {
      onChange.add(listener)
      return () => void onChange.delete(listener)
    },
    close: stop,
  }
}
