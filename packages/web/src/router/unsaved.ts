/** The forms with unsaved input, and the navigation that waits until the user agrees to lose the input. */
export interface Unsaved {
  /** Whether a form has unsaved input. */
  readonly isHeld: boolean
  /** The navigation that waits for an answer. */
  readonly waiting: (() => void) | undefined
  /** Marks a form as unsaved until the returned function is called. */
  hold(): () => void
  /** Calls `leave` immediately if nothing is unsaved, otherwise when the user agrees. */
  ask(leave: () => void): void
  answer(isLeaving: boolean): void
  subscribe(listener: () => void): () => void
}

export function createUnsaved(): Unsaved {
  const forms = new Set<object>()
  const listeners = new Set<() => void>()
  let waiting: (() => void) | undefined
  const setWaiting = (leave: (() => void) | undefined) => {
    waiting = leave
    for (const listener of listeners) listener()
  }
  return {
    get isHeld() {
      return forms.size > 0
    },
    get waiting() {
      return waiting
    },
    hold() {
      const form = {}
      forms.add(form)
      return () => {
        forms.delete(form)
        // Nothing can be lost any more, so the dialog closes, and the navigation that waited for the answer is dropped.
        if (forms.size === 0 && waiting) setWaiting(undefined)
      }
    },
    ask(leave) {
      if (forms.size === 0) leave()
      else setWaiting(leave)
    },
    answer(isLeaving) {
      const leave = waiting
      setWaiting(undefined)
      if (isLeaving) leave?.()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export const unsaved = createUnsaved()
