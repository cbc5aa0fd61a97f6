import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until the condition holds, and returns the seconds that it took. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, limitMs = 30_000): Promise<number> {
  const from = performance.now()
  while (!(await holds())) {
    if (performance.now() - from > limitMs) throw new Error(`not within ${limitMs / 1000} s: ${what}`)
    await sleep(20)
  }
  return (performance.now() - from) / 1000
}
