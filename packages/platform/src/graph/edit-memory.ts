import { Problem, type QueueReport } from '@storey/contract'
import { createAdmission } from '@storey/kit/admission'

const MB = 2 ** 20

/**
 * The memory that the nodes read by one edit may take. A revert reads each node twice: as it is now, and as it was. An
 * import reads all nodes of a building, which are small.
 */
const MAX_BYTES = { request: 160 * MB, revert: 320 * MB, import: 256 * MB }
/** An edit that reads more than this is large. */
const LARGE_BYTES = 8 * MB

const MAX_WAITING = 128
/** The same limit as for requests that wait for memory (`platform/src/memory.ts`). */
const MAX_WAIT_MS = 20_000

/** What an edit is for. It decides how many nodes the edit may read. */
export type EditPurpose = keyof typeof MAX_BYTES

/** The memory of the nodes that one edit reads. */
export interface EditMemory {
  /**
   * Reserves memory for nodes, before they are read. Waits if the edit becomes large while another large edit runs.
   * Throws CONFLICT if the edit reads too much, and NOT_READY if it has waited too long.
   */
  reserve(bytes: number): Promise<void>
  /** Call it when the edit has ended. */
  release(): void
}

/** The memory of all edits of a stack. */
export interface EditMemories {
  /** The memory of one edit. */
  of(purpose: EditPurpose): EditMemory
  /** The large edits that wait for another one, and those that were refused. */
  report(): QueueReport
}

/**
 * Only one large edit runs at a time, because two of them could take all of the heap. A large edit waits for nothing
 * that another edit may hold, because it has locked its building before it reads nodes. So edits may wait for it, even
 * while they hold the locks of their buildings.
 */
export function createEditMemories(): EditMemories {
  const largeEdits = createAdmission({
    capacity: () => 1,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    refusal: 'The sandbox is busy with another large change of a building',
  })
  return {
    of(purpose) {
      let reserved = 0
      let turn: ReturnType<typeof largeEdits.enter> | undefined
      return {
        async reserve(bytes) {
          reserved += bytes
          if (reserved > MAX_BYTES[purpose]) throw tooLarge(reserved, MAX_BYTES[purpose])
          if (reserved <= LARGE_BYTES) return
          turn ??= largeEdits.enter(1)
          await turn
        },
        release: () => void turn?.then(({ leave }) => leave()).catch(() => undefined),
      }
    },
    report() {
      const { waiting, refused } = largeEdits.report()
      return { waiting, refused }
    },
  }
}

function tooLarge(bytes: number, maxBytes: number): Problem {
  const inMb = (size: number) => Math.ceil(size / MB)
  return new Problem(
    'CONFLICT',
    `The nodes that this change reads take ${inMb(bytes)} MB of memory, and at most ${inMb(maxBytes)} MB are allowed: ` +
      'use several requests with fewer nodes each, or nodes whose polygons have fewer corners',
  )
}
