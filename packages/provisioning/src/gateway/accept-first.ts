/** Work waits no longer than this for new connections. */
export const ACCEPT_LIMIT_MS = 20

/**
 * Postpones work until no new connection waits. Node accepts one connection in each turn of the event loop, in order of
 * arrival: with work in every turn, a new client would wait for the work of all clients that connected before it.
 */
export function createAcceptFirst(limitMs: number) {
  const waiting: { begin(): void; until: number }[] = []
  let hasAccepted = false
  let isPlanned = false

  function plan(): void {
    if (isPlanned) return
    isPlanned = true
    setImmediate(turn)
  }

  /** Runs at the end of each turn while work waits. */
  function turn(): void {
    isPlanned = false
    const mayWait = hasAccepted && performance.now() < waiting[0]!.until
    hasAccepted = false
    if (mayWait) plan()
    else for (const { begin } of waiting.splice(0)) begin()
  }

  return {
    /** Reports a new connection. */
    accepted(): void {
      hasAccepted = true
    },
    run(begin: () => void): void {
      waiting.push({ begin, until: performance.now() + limitMs })
      plan()
    },
  }
}
