import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options?: { type: 'minor' }) => void

let collect: Collect | undefined

function collector(): Collect {
  if (collect === undefined) {
    // The flag can be set while the process runs.
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  return collect
}

/**
 * Runs the garbage collector. V8 runs it only when its heap has grown, and buffers are outside of the heap. Without
 * this call an idle thread would keep its last buffers for as long as it is idle.
 */
export function collectGarbage(): void {
  collector()()
}

/** Frees what was allocated recently and is not used any more, in less than a millisecond. */
export function collectRecent(): void {
  collector()({ type: 'minor' })
}
