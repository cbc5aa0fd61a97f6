import type { BuildingClient } from '@storey/sdk'
import { CliError } from '../../errors.ts'
import { sandboxFlag } from '../../output/sandbox-flag.ts'
import type { TriggerOptions } from './trigger-options.ts'
import type { TriggerResult } from './trigger-result.ts'

/** Stops the simulated observations of all points below a node, as a failed gateway in the building would. */
export async function triggerOutage(
  building: BuildingClient,
  { node, minutes, sandbox }: TriggerOptions,
): Promise<TriggerResult> {
  const nodeId = node ?? (await firstStorey(building))
  await requirePoints(building)
  const before = await building.simulation.get()
  // An automatic simulation pauses when nobody has the console open, so this command starts it explicitly.
  const simulation = before.running && !before.automatic ? before : await building.simulation.set({ running: true })
  const injected = await building.simulation.inject({ fault: 'silent-gateway', nodeId, minutes })
  const wait = await silenceSeconds(building)
  const real = Math.round((minutes * 60) / simulation.speed)
  return {
    record: { injection: injected, simulation },
    title: `The points below ${nodeId} are silent.`,
    facts: [
      ['lasts', `${minutes} min of simulated time, ${inWords(real)} at a speed of ${simulation.speed}`],
      ...(before.running ? [] : ([['simulation', 'started']] as [string, string][])),
      ['fault', faultAfter(wait, real)],
      ['end it with', `svc api -X DELETE simulation/inject/${injected.id}${sandboxFlag(sandbox)}`],
    ],
  }
}

function faultAfter(wait: number | undefined, outage: number): string {
  if (wait === undefined) return 'no rule watches for silence'
  if (wait <= outage) return `after ${inWords(wait)} without observations`
  return `none: a rule needs ${inWords(wait)} without observations, and the outage is shorter`
}

/** A building without points, such as an imported model, cannot have an outage. */
async function requirePoints({ points }: BuildingClient): Promise<void> {
  if ((await points.list({ limit: 1 })).total > 0) return
  throw new CliError('The building has no points, so it cannot have an outage.', {
    code: 'NO_POINTS',
    next: 'Create some with `svc api points --input <file>`, or bring the generated building back with `svc sandbox reset`.',
  })
}

async function firstStorey({ storeys }: BuildingClient): Promise<string> {
  const { data } = await storeys.list({ limit: 1 })
  if (data[0] !== undefined) return data[0].id
  throw new CliError('The building has no storey.', {
    code: 'NO_STOREY',
    next: 'Create one with `svc api storeys --input <file>`, or bring the generated building back with `svc sandbox reset`.',
  })
}

/** The shortest duration of an enabled rule for silent points, in seconds of real time; undefined if there is none. */
async function silenceSeconds({ faultRules }: BuildingClient): Promise<number | undefined> {
  const seconds: number[] = []
  for await (const { kind, enabled, durationSeconds } of faultRules.listAll()) {
    if (kind === 'silent' && enabled) seconds.push(durationSeconds)
  }
  return seconds.length === 0 ? undefined : Math.min(...seconds)
}

function inWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} hours`
}
