import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import type { startSystem } from '../acceptance/system/system.ts'

const MAX_POINTS = 5000
const TOWER = { storeys: 20, spacesMin: 20, spacesMax: 30, equipmentDensity: 'dense' }

/** A sandbox with a large building, and at most 5,000 points of it, which load tests write to. */
export async function newTower(system: Awaited<ReturnType<typeof startSystem>>) {
  const { operator, newSandbox } = actorsOf(system)
  const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
  const { record, connection } = await newSandbox(key, TOWER)
  const base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`
  const points: string[] = []
  while (points.length < MAX_POINTS) {
    const { json } = await call(`${base}/points?limit=1000&offset=${points.length}`, { token: connection.token })
    points.push(...json.data.map(({ id }: { id: string }) => id))
    if (json.data.length < 1000) break
  }
  return { record, connection, base, points }
}
