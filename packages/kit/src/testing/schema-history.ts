import { formatHistory, type Migration, migrate, readSchema, type SchemaObjects } from '../database/index.ts'
import { testDatabase } from './index.ts'

/** What each of these migrations creates and drops, as text: the content of `objects.txt` beside the migrations. */
export async function historyOf(migrations: readonly Migration[], migrationsTable?: string): Promise<string> {
  const options = migrationsTable === undefined ? {} : { migrationsTable }
  const { database, drop } = await testDatabase({ migrations: [], ...options })
  const history: SchemaObjects[] = []
  await database.session(async (session) => {
    for (let version = 0; version <= migrations.length; version++) {
      await migrate(session, migrations.slice(0, version), options)
      history.push(await readSchema(session))
    }
  })
  await drop()
  return formatHistory(history)
}
