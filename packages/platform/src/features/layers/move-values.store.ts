import { sql, type Tx } from '@storey/kit/database'

type DetachedValue = {
  layerId: string
  spaceId: string
  number: number | null
  text: string | null
  truth: boolean | null
  updatedAt: Date
}

/**
 * Keeps the values of spaces that are about to be replaced: reads them before the old spaces are deleted, and returns a
 * function that writes them for the new spaces, in the same transaction.
 */
export async function detachValues(tx: Tx, successors: ReadonlyMap<string, string>): Promise<() => Promise<void>> {
  const detached = await tx.rows<DetachedValue>(sql`
    select layer_id as "layerId", space_id as "spaceId", number, text, truth, updated_at as "updatedAt"
    from layer_values where space_id = any(${[...successors.keys()]}::uuid[])`)
  return async () => {
    const rows = detached.map(({ spaceId, ...row }) => ({ ...row, spaceId: successors.get(spaceId)! }))
    await tx.run(sql`
      insert into layer_values (layer_id, space_id, number, text, truth, updated_at)
      select r."layerId", r."spaceId", r.number, r.text, r.truth, r."updatedAt"
      from json_to_recordset(${JSON.stringify(rows)}::json) as r ("layerId" uuid, "spaceId" uuid, number double precision,
        text text, truth boolean, "updatedAt" timestamptz)`)
    // The time changes, so that clients read the values again with the new space ids.
    await tx.run(sql`
      update data_layers set values_updated_at = values_updated_at + interval '1 millisecond'
      where id = any(${[...new Set(detached.map(({ layerId }) => layerId))]}::uuid[])`)
  }
}
