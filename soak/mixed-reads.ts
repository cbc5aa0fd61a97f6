import type { MixedPart, MixedSoak } from './mixed-part.ts'

const DAY_MS = 86_400_000
const OK = 200

/** Pages and reports that read values, and programs that export the whole building. */
export async function openReads({ base, points, api }: MixedSoak): Promise<MixedPart> {
  const { json } = await api(`${base}/storeys?limit=200`, OK)
  const storeys: string[] = json.data.map(({ id }: { id: string }) => id)
  const since = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
  const history = (query: string) => api(`${base}/telemetry/observations?${query}`, OK)

  let storey = 0
  const querySeries = () =>
    api(`${base}/telemetry/query`, OK, {
      body: {
        storeyId: storeys[storey++ % storeys.length],
        quantityKind: 'Temperature',
        ...{ from: since(7), to: since(0), aggregation: 'avg', interval: '1h' },
      },
    })

  const exports = [
    () => api(`${base}/graph`, OK),
    () => api(`${base}/graph?format=turtle`, OK),
    () => api(`${base}/diff?from=1`, OK),
    () => api(`${base}/history?limit=200`, OK),
    () => history(`pointId=${points[1]}&from=${since(1)}&limit=10000`),
  ]
  let next = 0
  return {
    tasks: [
      {
        what: 'reads of hourly averages',
        everyMs: 500,
        work: () => history(`pointId=${points[0]}&from=${since(1)}&aggregation=avg&interval=1h`),
      },
      { what: 'reads of last values', everyMs: 2_000, work: () => api(`${base}/telemetry/latest`, OK) },
      { what: 'queries of the series of a storey', everyMs: 2_000, work: querySeries },
      { what: 'exports', everyMs: 15_000, work: () => exports[next++ % exports.length]!() },
    ],
  }
}
