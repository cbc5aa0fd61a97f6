import { IDENTITY_MIGRATIONS, IDENTITY_MIGRATIONS_TABLE } from '@storey/identity/migrations'
import { checkCompleteness, type Database, isDenied, readHistory } from '@storey/kit/database'
import { StartupError } from '@storey/kit/startup-error'
import { CONTROL_MIGRATIONS } from '@storey/provisioning/operator'
import { lacksInstallation, restoreTools } from './database-server.store.ts'

const NAMED = 3

/**
 * Throws if a control database is not completely restored. Call this before anything is written to the database,
 * because a write can make it impossible to restore the missing objects and rows.
 */
export async function refuseIncompleteControl(control: Database): Promise<void> {
  const found = await findObstacle(control)
  if (found !== undefined) throw new StartupError(`The control database ${found.reason}: ${found.advice}.`)
}

/** Why a control database cannot be used. */
export interface Obstacle {
  /** The end of a sentence that begins with “The control database”. */
  reason: string
  advice: string
}

/**
 * What is wrong with a control database that is being restored, whose restore ended early, or whose tables were
 * restored for another role. Undefined if the database is complete or new. Changes nothing.
 */
export async function findObstacle(control: Database): Promise<Obstacle | undefined> {
  try {
    const reason = await incompleteReason(control)
    return reason === undefined
      ? undefined
      : { reason, advice: 'wait until the restore is complete, or repeat it in a new database' }
  } catch (err) {
    if (!isDenied(err)) throw err
    return {
      reason: `has tables of another role (${(err as Error).message})`,
      advice: 'restore it as the role in DATABASE_URL, or make that role the owner (reassign owned by … to …)',
    }
  }
}

async function incompleteReason(control: Database): Promise<string | undefined> {
  const { isNew, missing } = await control.snapshot(async (tx) => {
    const own = await checkCompleteness(tx, readHistory(CONTROL_MIGRATIONS))
    const identity = await checkCompleteness(tx, readHistory(IDENTITY_MIGRATIONS), IDENTITY_MIGRATIONS_TABLE)
    const missing = [...own.missing, ...identity.missing]
    if (own.state === 'complete' && (await lacksInstallation(tx))) missing.push('row of installation')
    return { isNew: own.state === 'new' && identity.state === 'new', missing }
  })
  if (missing.length > 0) return `is incomplete: it is probably being restored, and lacks ${listed(missing)}`
  const tool = (await restoreTools(control)).find((name) => name === 'pg_restore' || isNew)
  return (
    tool &&
    `is probably being restored: ${tool} is connected to this database (if ${tool} restores nothing, end its session)`
  )
}

const listed = (names: readonly string[]): string => {
  const others = names.length - NAMED
  return others > 1 ? `${names.slice(0, NAMED).join(', ')} and ${others} more` : names.join(', ')
}
