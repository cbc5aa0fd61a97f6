import { CREATE_RIGHTS_MISSING, type Database, isDenied, mayCreateDatabases } from '@storey/kit/database'

/** The role of the service has lost the right to create databases and roles. An operator has to grant it again. */
export class CreateRightsMissing extends Error {
  override name = 'CreateRightsMissing'
}

/** Runs the work. If PostgreSQL denies it because the role lost those rights, the error names them. */
export async function namingLostRights<T>(control: Database, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!isDenied(cause) || (await mayCreateDatabases(control))) throw cause
    throw new CreateRightsMissing(CREATE_RIGHTS_MISSING, { cause })
  }
}
