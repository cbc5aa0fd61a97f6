import type { BuildingClient, PointRecord } from '@storey/sdk'
import { CliError } from '../../errors.ts'
import { findPoint } from './find-point.ts'
import type { TriggerOptions } from './trigger-options.ts'
import type { TriggerResult } from './trigger-result.ts'

/** Sends one observation. */
export async function triggerValue(building: BuildingClient, options: TriggerOptions): Promise<TriggerResult> {
  const point = options.point === undefined ? await defaultPoint(building) : await findPoint(building, options.point)
  const last = (await building.telemetry.latest()).data.find(({ pointId }) => pointId === point.id)?.value
  const value = options.value ?? changed(last)
  await building.telemetry.ingest([{ pointId: point.id, value }])
  return {
    record: { pointId: point.id, code: point.code, value, before: last ?? null },
    title: `${point.code} is ${value} ${point.unit}.`,
    facts: [
      ['point', `${point.code}, ${point.name}`],
      ['id', point.id],
      ['before', last ?? 'no value'],
    ],
  }
}

/** The first temperature sensor, because everybody understands its value; else the first sensor. */
async function defaultPoint({ points }: BuildingClient): Promise<PointRecord> {
  let first: PointRecord | undefined
  for await (const point of points.listAll({ pointType: 'SENSOR' })) {
    if (point.quantityKind === 'Temperature') return point
    first ??= point
  }
  if (first !== undefined) return first
  throw new CliError('The building has no sensor point.', {
    code: 'NO_SENSOR_POINT',
    next: 'Name a point with --point.',
  })
}

/** The last value plus 1, rounded to one decimal; 21 without a last value, and 1 if the last value is not a number. */
function changed(last: string | undefined): string {
  const number = Number(last ?? 20)
  if (!Number.isFinite(number)) return '1'
  return String(Math.round((number + 1) * 10) / 10)
}
