import type { TrustedTime } from '@storey/kit/clock-check'
import { type Database, sql } from '@storey/kit/database'
import { newInstallationTag } from './ids.ts'

/** The tag of this installation. It is created on first use. With `isReadOnly`, a new tag is not stored. */
export async function installationTag(control: Database, { isReadOnly = false } = {}): Promise<string> {
  const tag = newInstallationTag()
  if (!isReadOnly) await control.run(sql`insert into installation (tag) values (${tag}) on conflict do nothing`)
  return (await control.row<{ tag: string }>(sql`select tag from installation`))?.tag ?? tag
}

/** Stores the last trusted time (`clock-check.ts` in `kit`), with which the next process compares its clocks. */
export function trustedTime(control: Database): TrustedTime {
  return {
    everyMs: 60_000,
    async read() {
      return (await control.row<{ at: Date }>(sql`select trusted_at as at from installation`))!.at
    },
    async write(at) {
      await control.run(sql`update installation set trusted_at = ${at}`)
    },
  }
}
