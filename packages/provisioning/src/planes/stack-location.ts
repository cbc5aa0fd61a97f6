import { PROBLEMS, Problem, type ProblemCode, problems } from '@storey/contract'
import type { ReplicaList } from '../stacks/index.ts'

/** Where a stack listens. `host` and `port` are null in the answer to a request that starts no stack. */
export interface StackLocation {
  host: string | null
  port: number | null
  /** The processes that serve the stack; absent if a stack always has only one process. */
  replicas?: ReplicaList
}

/** Why the leader, which is the control plane that starts and stops stacks, could not handle a request. */
export interface StackProblem {
  problem: { code: string; detail: string; headers: Record<string, string>; members: Record<string, unknown> }
}

const isCode = (code: string): code is ProblemCode => Object.hasOwn(PROBLEMS, code)

export function problemAnswer(err: unknown): StackProblem {
  const { code, message, headers, members } =
    err instanceof Problem ? err : problems.notReady('The sandbox could not be started', 2)
  return { problem: { code, detail: message, headers, members } }
}

export function problemOf({ problem }: StackProblem): Problem {
  const { code, detail, headers, members } = problem
  return new Problem(isCode(code) ? code : 'NOT_READY', detail, { headers, members })
}
