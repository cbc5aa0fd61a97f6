import { LIMITS } from '@storey/contract'
import type { MixedPart, MixedSoak } from './mixed-part.ts'

const POINTS = 1_000

/** A developer who plays with the simulation: it runs all the time, at several speeds, with faults. */
export async function openSimulation({ base, api }: MixedSoak): Promise<MixedPart> {
  const simulation = `${base}/simulation`
  const command = (body: object) => api(simulation, 200, { body })
  const { json } = await api(`${base}/points?quantityKind=Temperature&limit=${POINTS}`, 200)
  const sensors: string[] = json.data
    .filter(({ pointType }: { pointType: string }) => pointType === 'SENSOR')
    .map(({ id }: { id: string }) => id)
  const inject = async (minutes: number): Promise<string> => {
    const nodeId = sensors[Math.floor(Math.random() * sensors.length)]
    const { json } = await api(`${simulation}/inject`, 201, { body: { fault: 'drifting-sensor', nodeId, minutes } })
    return json.id
  }
  // It lasts so long that the last of the commands below ends it, at any speed.
  let injected = ''
  const commands = [
    async () => {
      injected = await inject(LIMITS.simulation.faultMinutes)
    },
    () => command({ speed: 60 }),
    () => inject(30),
    () => command({ speed: 10 }),
    () => api(simulation, 200),
    async () => {
      await command({ running: false })
      await command({ running: true, speed: 1 })
    },
    () => api(`${simulation}/inject/${injected}`, 204, { method: 'DELETE' }),
  ]
  let next = 0
  await command({ running: true, speed: 1 })
  return {
    tasks: [{ what: 'commands of the simulation', everyMs: 20_000, work: () => commands[next++ % commands.length]!() }],
  }
}
