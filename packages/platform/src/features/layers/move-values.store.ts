import { sql, type Tx } from '@storey/kit/database'

/**
 * Keeps the values of spaces that are about to be replaced: copies them before the old spaces are deleted, and returns
 * a function that writes them for the new spaces, in the same transaction. The copy is a temporary table, because the
 * values of a building may take more memory than the process has.
 */
export async function detachValues(tx: Tx, successors: ReadonlyMap<string, string>): Promise<() => Promise<void>> {
  await tx.run(sql`
    create temporary table detached_values on commit drop as
    select v.layer_id, h.new_id as space_id, v.number, v.text, v.truth, v.updated_at from layer_values v
      join unnest(${[...successors.keys()]}::uuid[], ${[...successors.values()]}::uuid[]) as h (old_id, new_id)
        on h.old_id = v.space_id`)
  return async () => {
    await tx.run(sql`
      insert into layer_values (layer_id, space_id, number, text, truth, updated_at)
      select layer_id, space_id, number, text, truth, updated_at from detached_values`)
    // The time changes, so that clients read the values again with the new space ids.
    await tx.run(sql`
      update data_layers set values_updated_at = values_updated_at + interval '1 millisecond'
      where id in (select layer_id from detached_values)`)
  }
}
