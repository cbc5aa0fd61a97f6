import { createRightsMissing, type Database, isDenied, mayCreateDatabases } from '@storey/kit/database'
import { isInUse } from './tenants.store.ts'

/** The role of the service has lost the right to create databases and roles. An operator has to grant it again. */
export class CreateRightsMissing extends Error {
  override name = 'CreateRightsMissing'
}

/** Sessions that the service may not end, such as those of a superuser, use the database or its template. */
export class DatabaseInUse extends Error {
  override name = 'DatabaseInUse'
}

const OBJECT_IN_USE = '55006'

/** The role that creates databases and roles on a server. `setting` names the setting with the server's URL. */
export interface ServerRole {
  admin: Database
  setting: string
}

/**
 * Runs work on these databases. If PostgreSQL refuses the work for a reason that an operator can fix, the error names
 * the reason. If no such reason is found after the refusal, the work is run once more.
 */
export async function explainRefusals<T>(
  { admin, setting }: ServerRole,
  databases: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  async function attempt(isRepeated: boolean): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      const isRefused = isDenied(cause) || (cause as { code?: unknown }).code === OBJECT_IN_USE
      if (!isRefused) throw cause
      if (!(await mayCreateDatabases(admin))) throw new CreateRightsMissing(createRightsMissing(setting), { cause })
      if (await isInUse(admin, databases)) throw new DatabaseInUse('another session uses the database', { cause })
      if (isRepeated) throw cause
      // The session may have ended since the refusal.
      return await attempt(true)
    }
  }
  return await attempt(false)
}

/** The SQLSTATEs for a wrong password or a missing role, and for a role that may not log in. */
const LOGIN_REFUSED = ['28P01', '28000']

export const isLoginRefused = (error: unknown): boolean =>
  LOGIN_REFUSED.includes(String((error as { code?: unknown }).code))
