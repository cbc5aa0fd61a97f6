import type { Settings, SettingsPatch } from '@storey/contract'
import { type Queryable, sql, type Tx } from '@storey/kit/database'

const DEFAULTS: Settings = { telemetryRetentionDays: null }

export async function readSettings(db: Queryable): Promise<Settings> {
  const rows = await db.rows<{ name: string; value: unknown }>(sql`select name, value from settings`)
  return { ...DEFAULTS, ...Object.fromEntries(rows.map(({ name, value }) => [name, value])) }
}

/** Locks the settings, so that they do not change during this transaction. */
export async function lockSettings(tx: Tx): Promise<Settings> {
  await tx.run(sql`lock table settings in share row exclusive mode`)
  return await readSettings(tx)
}

export async function writeSettings(db: Queryable, patch: SettingsPatch): Promise<void> {
  const entries = Object.entries(patch)
  await db.run(sql`
    insert into settings (name, value)
    select name, value::json from unnest(${entries.map(([name]) => name)}::text[],
      ${entries.map(([, value]) => JSON.stringify(value))}::text[]) as t (name, value)
    on conflict (name) do update set value = excluded.value`)
}
