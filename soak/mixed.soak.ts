import { apiWith } from './expect-status.ts'
import { openBuilding } from './mixed-building.ts'
import { openDesk } from './mixed-desk.ts'
import { openIngest } from './mixed-ingest.ts'
import { openLive } from './mixed-live.ts'
import { type MixedPart, type MixedSoak, repeat } from './mixed-part.ts'
import { openReads } from './mixed-reads.ts'
import { openSimulation } from './mixed-simulation.ts'
import { openWebhook } from './mixed-webhook.ts'
import { runSoak } from './run-soak.ts'

/**
 * `npm run soak -- mixed [minutes]`
 *
 * A much used sandbox, by default for a day: observations over REST (in every form, some compressed) and MQTT, webhooks,
 * pages with the live channel, reads of history, series and last values, exports, changes of the graph, imports of a
 * building model, the service desk, the simulation, and sandboxes that are created and deleted. An unexpected answer fails
 * the run.
 */

const DAY_MINUTES = 1440

const OPEN = [openIngest, openReads, openBuilding, openDesk, openSimulation, openLive, openWebhook, openSandboxes]

await runSoak('mixed', DAY_MINUTES, async (soak) => {
  const mixed: MixedSoak = { ...soak, api: apiWith(soak.connection.token) }
  const parts: MixedPart[] = []
  for (const open of OPEN) parts.push(await open(mixed))
  const done: string[] = []
  return {
    async run() {
      const tasks = parts.flatMap((part) => part.tasks)
      const counts = await Promise.all(tasks.map((task) => repeat(task, soak)))
      done.push(...tasks.map(({ what }, i) => `${counts[i]} ${what}`))
      done.push(...parts.flatMap(({ counted }) => counted?.() ?? []))
      for (const { close } of parts) await close?.()
    },
    summary: () => done.join(', '),
  }
})

/** A developer who creates sandboxes and deletes them again. */
async function openSandboxes({ actors, key }: MixedSoak): Promise<MixedPart> {
  async function createAndDelete(): Promise<void> {
    const { record } = await actors.newSandbox(key)
    const { status, text } = await actors.api(key, `/api/v1/sandboxes/${record.sandboxId}`, { method: 'DELETE' })
    if (status !== 202 && status !== 204) throw new Error(`a sandbox was not deleted: ${status} ${text.slice(0, 500)}`)
  }
  return { tasks: [{ what: 'sandboxes', everyMs: 60_000, work: createAndDelete }] }
}
