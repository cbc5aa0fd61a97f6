import { expect, it } from 'vitest'
import { holdFolding } from '../../testing/hold-folding.ts'
import { generated, lines, type Sent, startSimulatedStack } from './testing/simulated-stack.ts'

const NOW = '2026-03-03T08:02:00.000Z'
const SPEED = 600
/** The minutes in which an hour is simulated. */
const HOUR = 60 / SPEED

it('[SIM-12] a simulated building sends nothing while too many observations wait to be folded, and then everything that it missed', async () => {
  const { stack, command, after } = await startSimulatedStack(NOW)
  const startMs = Date.parse(NOW)
  await command({ running: true, speed: SPEED })
  const before = await after(HOUR)
  expect(before.length).toBeGreaterThan(0)
  const held = await holdFolding(stack.db)
  // At its start a stack reads how many observations wait to be folded.
  await stack.restart()
  for (let i = 0; i < 4; i++) expect(await after(HOUR / 4)).toEqual([])
  await held.release()
  const then: Sent[] = []
  await expect.poll(async () => then.push(...(await after(0)))).toBeGreaterThan(0)
  const timestampOf = (ms: number) => startMs + Math.floor((ms - startMs) / SPEED)
  expect(lines([...before, ...then])).toEqual(generated(stack, startMs, startMs + 2 * 3_600_000, timestampOf))
  await stack.close()
})
