import type { TrustedTime } from '@storey/kit/clock-check'
import { type Database, sql } from '@storey/kit/database'
import { newInstallationTag } from './ids.ts'

/** The tag of this installation, created on first use. */
export async function installationTag(control: Database): Promise<string> {
  await control.run(sql`insert into installation (tag) values (${newInstallationTag()}) on conflict do nothing`)
  const row = await control.row<{ tag: string }>(sql`select tag from installation`)
  return row!.tag
}

/** The last time at which the clocks were trusted, for the next start. */
export function trustedTime(control: Database): TrustedTime {
  return {
    async read() {
      return (await control.row<{ at: Date }>(sql`select trusted_at as at from installation`))!.at
    },
    async write(at) {
      await control.run(sql`update installation set trusted_at = ${at}`)
    },
  }
}
