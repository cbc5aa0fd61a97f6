import { hasMemoryFor, type Memory } from '../../memory.ts'

/**
 * Whether a simulation may use more memory. If not, it waits: requests come first, and a simulation must not make the
 * stack exceed its memory limit, which would end the stack.
 */
export interface MemoryCheck {
  /** Whether there is memory for the model of a building with this many points. */
  allowsModel(points: number): boolean
  /** Whether there is memory to simulate the next window of time, or to fold the observations of a window. */
  allowsStep(): boolean
  /** How many checks in a row have found too little memory. */
  refusals(): number
}

const MB = 1024 * 1024
/** The memory of a thread without a model. */
const THREAD_BYTES = 8 * MB
/**
 * The memory per point while the model is created. The model of 100,000 points takes 165 MB then, and 75 MB afterwards.
 */
const MODEL_BYTES_A_POINT = 1_700
/**
 * The memory of a step. The largest window takes 33 MB. Folding the observations of 100,000 points takes about 60 MB
 * more than folding those of a few points.
 */
const STEP_BYTES = 64 * MB

export function createMemoryCheck(memory: Memory): MemoryCheck {
  let refusals = 0
  function allows(bytes: number): boolean {
    const isAllowed = hasMemoryFor(memory, bytes)
    refusals = isAllowed ? 0 : refusals + 1
    return isAllowed
  }
  return {
    allowsModel: (points) => allows(THREAD_BYTES + points * MODEL_BYTES_A_POINT),
    allowsStep: () => allows(STEP_BYTES),
    refusals: () => refusals,
  }
}
