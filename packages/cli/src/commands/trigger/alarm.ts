import type { BuildingClient, FaultRecord, PointRecord } from '@storey/sdk'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { sandboxFlag } from '../../output/sandbox-flag.ts'
import { findPoint } from './find-point.ts'
import type { TriggerOptions } from './trigger-options.ts'
import type { TriggerResult } from './trigger-result.ts'

/** A copy of the list in the platform's `faults/detection/values.ts`, which this package cannot import. */
const ACTIVE = new Set(['1', 'true', 'on', 'active', 'alarm', 'fault'])
const POLL_MS = 250
const POLLS = 40

/** Turns an alarm point on, and waits for the fault that follows. */
export async function triggerAlarm(
  building: BuildingClient,
  { point: named, sandbox }: TriggerOptions,
  { clock }: Context,
): Promise<TriggerResult> {
  const values = new Map((await building.telemetry.latest()).data.map(({ pointId, value }) => [pointId, value]))
  const isOn = ({ id }: PointRecord) => isActive(values.get(id) ?? '')
  const point = named === undefined ? await alarmPoint(building, isOn) : await findPoint(building, named)
  if (point.pointType !== 'ALARM') {
    throw new CliError(`${point.code} is a ${point.pointType} point, not an ALARM point.`, {
      code: 'NOT_AN_ALARM',
      next: 'Use an ALARM point, or `svc trigger value`.',
    })
  }
  const known = new Set((await building.faults.list({ pointId: point.id })).data.map(({ id }) => id))
  // A point that is on may have an open fault, which prevents a new one. Turning the point off resolves that fault.
  if (isOn(point)) await building.telemetry.ingest([{ pointId: point.id, value: '0' }])
  await building.telemetry.ingest([{ pointId: point.id, value: '1' }])
  const fault = await newFault(building, point, known, clock)
  return {
    record: { pointId: point.id, code: point.code, value: '1', fault: fault ?? null },
    title: fault?.title ?? `${point.code} is on, but no rule reported a fault within ${(POLLS * POLL_MS) / 1000} s.`,
    facts: [
      ['point', `${point.code}, ${point.name}`],
      ...(fault === undefined
        ? []
        : ([
            ['severity', fault.severity],
            ['fault', fault.id],
          ] as [string, string][])),
      ['end it with', `svc trigger value --point ${point.code} --value 0${sandboxFlag(sandbox)}`],
    ],
  }
}

/** As in the platform, a number other than 0 is active too, if it has the form that JavaScript prints. */
const isActive = (value: string): boolean =>
  ACTIVE.has(value.toLowerCase()) ||
  (Number.isFinite(Number(value)) && String(Number(value)) === value && value !== '0')

/** The first alarm point that is off. If all are on, the first alarm point. */
async function alarmPoint(building: BuildingClient, isOn: (point: PointRecord) => boolean): Promise<PointRecord> {
  let first: PointRecord | undefined
  for await (const point of building.points.listAll({ pointType: 'ALARM' })) {
    if (!isOn(point)) return point
    first ??= point
  }
  if (first !== undefined) return first
  throw new CliError('The building has no alarm point.', {
    code: 'NO_ALARM_POINT',
    next: 'Create a point of the type ALARM, or use `svc trigger value` to send a value for which a rule reports a fault.',
  })
}

async function newFault(
  { faults }: BuildingClient,
  { id: pointId }: PointRecord,
  known: ReadonlySet<string>,
  clock: Context['clock'],
): Promise<FaultRecord | undefined> {
  for (let polls = 0; polls < POLLS; polls++) {
    const { data } = await faults.list({ pointId })
    const found = data.find(({ id }) => !known.has(id))
    if (found !== undefined) return found
    await clock.sleep(POLL_MS)
  }
  return undefined
}
