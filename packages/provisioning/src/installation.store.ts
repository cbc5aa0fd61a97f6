import { type Database, sql } from '@storey/kit/database'
import { newInstallationTag } from './ids.ts'

/** The tag of this installation, created on first use. */
export async function installationTag(control: Database): Promise<string> {
  await control.run(sql`insert into installation (tag) values (${newInstallationTag()}) on conflict do nothing`)
  const row = await control.row<{ tag: string }>(sql`select tag from installation`)
  return row!.tag
}
