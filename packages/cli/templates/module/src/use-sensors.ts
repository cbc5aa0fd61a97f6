import { type Loaded, type Platform, usePlatform } from '@storey/sdk/module'
import { useEffect, useState } from 'react'

export interface Sensor {
  id: string
  name: string
  /** The name of the sensor's element. It is displayed too, because many sensors have the same name. */
  element: string
  /** The unit as it is displayed: °C, ppm, kW. */
  unit: string
}

const LOADING = { data: undefined, error: undefined, loading: true }

/** The first sensors of the building. */
export function useSensors(limit: number): Loaded<Sensor[]> {
  const { client, buildingId } = usePlatform()
  const [state, setState] = useState<Loaded<Sensor[]>>(LOADING)
  useEffect(() => {
    const { signal, abort } = cancellation()
    const show = (next: Partial<Loaded<Sensor[]>>) =>
      signal.aborted || setState({ ...LOADING, loading: false, ...next })
    readSensors(client, buildingId, limit, signal).then(
      (data) => show({ data }),
      (error: Error) => show({ error }),
    )
    return abort
  }, [client, buildingId, limit])
  return state
}

async function readSensors(
  client: Platform['client'],
  buildingId: string,
  limit: number,
  signal: AbortSignal,
): Promise<Sensor[]> {
  const building = client.building(buildingId)
  const [points, units] = await Promise.all([
    building.points.list({ pointType: 'SENSOR', limit }, { signal }),
    client.catalogs.units({ limit: 200 }, { signal }),
  ])
  const elementIds = [...new Set(points.data.map(({ elementId }) => elementId))]
  const elements = await Promise.all(elementIds.map((id) => building.elements.get(id, { signal })))
  const names = new Map(elements.map(({ id, name }) => [id, name]))
  const symbols = new Map(units.data.map(({ name, symbol }) => [name, symbol]))
  return points.data.map(({ id, name, elementId, unit }) => ({
    id,
    name,
    element: names.get(elementId) ?? '',
    unit: symbols.get(unit) ?? unit,
  }))
}

function cancellation() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
