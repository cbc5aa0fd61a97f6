import { sql, type Tx } from '@storey/kit/database'

type Taken = {
  layerId: string
  spaceId: string
  number: number | null
  text: string | null
  truth: boolean | null
  updatedAt: Date
}

/**
 * Values of rooms that are about to be built anew, each put down again for the room that takes its place. They are taken
 * up before the old rooms go and put down when the new ones are there, in one transaction.
 */
export async function takeValues(tx: Tx, heirs: ReadonlyMap<string, string>): Promise<() => Promise<void>> {
  const taken = await tx.rows<Taken>(sql`
    select layer_id as "layerId", space_id as "spaceId", number, text, truth, updated_at as "updatedAt"
    from layer_values where space_id = any(${[...heirs.keys()]}::uuid[])`)
  return async () => {
    const rows = taken.map(({ spaceId, ...row }) => ({ ...row, spaceId: heirs.get(spaceId)! }))
    await tx.run(sql`
      insert into layer_values (layer_id, space_id, number, text, truth, updated_at)
      select r."layerId", r."spaceId", r.number, r.text, r.truth, r."updatedAt"
      from json_to_recordset(${JSON.stringify(rows)}::json) as r ("layerId" uuid, "spaceId" uuid, number double precision,
        text text, truth boolean, "updatedAt" timestamptz)`)
    // The same values, under other ids of rooms: whoever shows them must read them again.
    await tx.run(sql`
      update data_layers set values_updated_at = values_updated_at + interval '1 millisecond'
      where id = any(${[...new Set(taken.map(({ layerId }) => layerId))]}::uuid[])`)
  }
}
