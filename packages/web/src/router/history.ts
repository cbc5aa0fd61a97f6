import { unsaved } from './unsaved.ts'

/** The address that the pages show. The browser's address differs only while Back or Forward is being undone. */
let shown: string | undefined
/** The number of the current history entry, stored in the entry's state. It is needed to undo Back and Forward. */
let position = 0
/** What `onPopState` does after a move that this file has started with `history.go`. */
let onMoved: (() => void) | undefined

const listeners = new Set<() => void>()
const browserAddress = () => location.pathname + location.search + location.hash
const pathOf = (address: string) => new URL(address, location.origin).pathname

export const shownAddress = (): string => {
  shown ??= browserAddress()
  return shown
}

function show(): void {
  shown = browserAddress()
  for (const listener of listeners) listener()
}

/** Calls the listener when the address has changed. */
export function onAddress(listener: () => void): () => void {
  if (listeners.size === 0) {
    shown = browserAddress()
    position = typeof history.state?.position === 'number' ? history.state.position : 0
    history.replaceState({ position }, '')
    addEventListener('popstate', onPopState)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener('popstate', onPopState)
  }
}

export function pushAddress(to: string): void {
  position += 1
  history.pushState({ position }, '', to)
  show()
}

export function replaceAddress(to: string): void {
  history.replaceState({ position }, '', to)
  show()
}

function onPopState({ state }: PopStateEvent): void {
  if (onMoved) {
    const moved = onMoved
    onMoved = undefined
    moved()
    return
  }
  // A link to a part of the page, such as `#main`, adds an entry without a state.
  if (typeof state?.position !== 'number') history.replaceState({ position: position + 1 }, '')
  const steps = history.state.position - position
  if (unsaved.isHeld && steps !== 0 && location.pathname !== pathOf(shownAddress())) askBeforeMove(steps)
  else {
    position += steps
    show()
  }
}

/** Returns to the entry that the user left by Back or Forward, and moves again if the user agrees. */
function askBeforeMove(steps: number): void {
  onMoved = () =>
    unsaved.ask(() => {
      onMoved = () => {
        position += steps
        show()
      }
      history.go(steps)
    })
  history.go(-steps)
}
