import { setTimeout as sleep } from 'node:timers/promises'
import { ifcFile } from '@storey/ifc/testing'
import type { MixedPart, MixedSoak } from './mixed-part.ts'

const ROOMS = 20
const ROOM_M = 5

/** Somebody who renames rooms, and a design office that sends a new version of its building model from time to time. */
export async function openBuilding({ base, api }: MixedSoak): Promise<MixedPart> {
  const { json } = await api(`${base}/spaces?limit=10`, 200)
  const spaces: string[] = json.data.map(({ id }: { id: string }) => id)

  function rename() {
    const id = spaces[Math.floor(Math.random() * spaces.length)]
    return api(`${base}/spaces/${id}`, 200, { method: 'PATCH', body: { name: `Room ${Date.now()}` } })
  }

  let version = 0
  async function importModel(): Promise<void> {
    const body = annex(++version)
    const headers = { 'content-type': 'application/x-step' }
    const { json } = await api(`${base}/import/ifc`, 202, { body, headers })
    for (;;) {
      const { json: record, text } = await api(`${base}/imports/${json.importId}`, 200)
      if (record.status === 'succeeded') return
      if (record.status === 'failed') throw new Error(`an import failed: ${text.slice(0, 500)}`)
      await sleep(500)
    }
  }

  return {
    tasks: [
      { what: 'changes of the graph', everyMs: 5_000, work: rename },
      { what: 'imports of a building model', everyMs: 120_000, work: importModel },
    ],
  }
}

/** A model of one storey. Every version has the same rooms, with the same GlobalIds, other names and one outline changed. */
function annex(version: number): string {
  const spaces = Array.from({ length: ROOMS }, (_, i) => {
    const [left, depth] = [i * ROOM_M, i === version % ROOMS ? ROOM_M + 1 : ROOM_M]
    return {
      name: `A${i + 1}`,
      longName: `Workshop ${i + 1}, version ${version}`,
      outline: [
        [left, 0],
        [left + ROOM_M, 0],
        [left + ROOM_M, depth],
        [left, depth],
      ] as [number, number][],
      elements: [{ ifcClass: 'IfcLightFixture', name: 'Light' }],
    }
  })
  return ifcFile({ discipline: 'annex', storeys: [{ name: 'Annex', elevation: 0, spaces }] })
}
