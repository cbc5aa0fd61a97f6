import { sql, type Tx } from '@storey/kit/database'
import { noteChange } from '../../change-feed/index.ts'
import { advanceClock } from './desk-clock.store.ts'

/**
 * Moves requests to the new ids of nodes that an import replaces. Each moved request is a separate change with its own
 * time. The desk's clock is locked until the transaction ends.
 */
export async function movePlaces(tx: Tx, successors: ReadonlyMap<string, string>, now: Date): Promise<void> {
  const at = await advanceClock(tx, now)
  const moved = await tx.rows<{ buildingId: string }>(sql`
    with successors as (
      select * from unnest(${[...successors.keys()]}::uuid[], ${[...successors.values()]}::uuid[]) as h (old_id, new_id)
    ), moved as (
      select r.id, row_number() over (order by r.number) - 1 as place, coalesce(s.new_id, r.space_id) as space_id,
        coalesce(t.new_id, r.storey_id) as storey_id, coalesce(e.new_id, r.element_id) as element_id
      from service_requests r
        left join successors s on s.old_id = r.space_id
        left join successors t on t.old_id = r.storey_id
        left join successors e on e.old_id = r.element_id
      where coalesce(s.new_id, t.new_id, e.new_id) is not null
    ), written as (
      update service_requests r set space_id = m.space_id, storey_id = m.storey_id, element_id = m.element_id,
        updated_at = ${at}::timestamptz + m.place * interval '1 millisecond'
      from moved m where r.id = m.id returning r.building_id
    ), clock as (
      update service_desk_clock set last_at = last_at + (select count(*) from written) * interval '1 millisecond'
    )
    select distinct building_id as "buildingId" from written`)
  for (const { buildingId } of moved) noteChange(tx, buildingId, 'requests')
}
