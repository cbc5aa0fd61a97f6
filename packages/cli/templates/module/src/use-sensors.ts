import { type Loaded, usePlatform } from '@storey/sdk/module'
import { useEffect, useState } from 'react'

export interface Sensor {
  id: string
  name: string
  /** The display form: °C, ppm, kW. */
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
    Promise.all([
      client.building(buildingId).points.list({ pointType: 'SENSOR', limit }, { signal }),
      client.catalogs.units({ limit: 200 }, { signal }),
    ]).then(
      ([points, units]) => {
        const symbols = new Map(units.data.map(({ name, symbol }) => [name, symbol]))
        show({ data: points.data.map(({ id, name, unit }) => ({ id, name, unit: symbols.get(unit) ?? unit })) })
      },
      (error: Error) => show({ error }),
    )
    return abort
  }, [client, buildingId, limit])
  return state
}

function cancellation() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
