import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | undefined

/**
 * Collects what this thread no longer uses. Buffers lie outside the heap, and the engine decides by the heap: a thread
 * that rests keeps its last buffers for as long as it rests.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    // May be set while the process runs: no flag of the command line is needed.
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
}
