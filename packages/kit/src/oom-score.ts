import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** When memory is used up, the OOM killer of Linux ends the process with the highest score first. */
const FILE = '/proc/self/oom_score_adj'
const MAX = 1_000

/**
 * What is added to the score of the service, so that processes are ended in this order: first seed and spare processes
 * and readers of building models, which lose only their own work; then stacks, which are restarted; then backends of
 * PostgreSQL, whose end makes PostgreSQL restart; last the service and PostgreSQL itself. A reader of a building model
 * inherits the score of its stack, and the stack adds 300 to it (`raiseOomScore` in `packages/ifc`).
 */
export const OOM_SCORES = { postgresBackend: 100, stack: 300, expendable: 600 } as const

const inherited = read()

/** Sets the score of this process to the score that it inherited plus `by`. Does nothing where that is not possible. */
export function setOomScore(by: number): void {
  if (inherited === undefined) return
  try {
    writeFileSync(FILE, `${Math.min(inherited + by, MAX)}`)
  } catch {
    // The process keeps its score.
  }
}

const ENV = '/usr/bin/env'

/**
 * A command that starts PostgreSQL with environment variables by which PostgreSQL sets the score of its backends. The
 * main process of PostgreSQL keeps the score that it inherits.
 */
export function withOomScore([program, args]: [string, string[]]): [string, string[]] {
  if (inherited === undefined || !existsSync(ENV)) return [program, args]
  const value = Math.min(inherited + OOM_SCORES.postgresBackend, MAX)
  return [ENV, [`PG_OOM_ADJUST_FILE=${FILE}`, `PG_OOM_ADJUST_VALUE=${value}`, program, ...args]]
}

function read(): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return Number(readFileSync(FILE, 'utf8'))
  } catch {
    return undefined
  }
}
