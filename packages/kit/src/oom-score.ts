import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** On Linux, the system uses this number when memory is used up: it ends processes with a high one first. */
const FILE = '/proc/self/oom_score_adj'
const MAX = 1_000

/**
 * What is added to the number of the service. A reader, seed or spare process ends first, since it costs nothing but its
 * own work, then a stack, which is started again, then a connection of PostgreSQL, at whose end it restarts, and the
 * service and PostgreSQL themselves last. The reader of a model gets that of its stack twice.
 */
export const OOM_SCORES = { postgresBackend: 100, stack: 300, expendable: 600 } as const

const inherited = read()

/** Sets the number of this process. Does nothing where that is not possible. */
export function setOomScore(by: number): void {
  if (inherited === undefined) return
  try {
    writeFileSync(FILE, `${Math.min(inherited + by, MAX)}`)
  } catch {
    // The process keeps the number that it has.
  }
}

const ENV = '/usr/bin/env'

/** The command that starts PostgreSQL with the variables by which it sets the number of its processes, and not its own. */
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
