import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | undefined

/**
 * Runs the garbage collector. Buffers are outside of the heap, but V8 decides by the size of the heap: an idle thread
 * would keep its last buffers for as long as it is idle.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    // The flag can be set while the process runs.
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
}
