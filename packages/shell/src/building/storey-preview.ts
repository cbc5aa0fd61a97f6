import type { BuildingClient, SpaceNode, StoreyNode } from '@storey/sdk'
import { storeyFor } from './use-storey.ts'

/** One storey, which is read before the rest of a large building. */
export interface StoreyPreview {
  /** Lowest first. */
  storeys: readonly StoreyNode[]
  storey: StoreyNode
  spaces: readonly SpaceNode[]
}

type PreviewApi = Pick<BuildingClient, 'storeys' | 'spaces'>

/** Reads the storey that an address of the plan leads to; undefined if the building has no storey. */
export async function readStoreyPreview(
  api: PreviewApi,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<StoreyPreview | undefined> {
  const roomId = query.get('room')
  const [read, room] = await Promise.all([
    collect(api.storeys.listAll({}, { signal })),
    roomId === null ? undefined : api.spaces.get(roomId, { signal }).catch(() => undefined),
  ])
  const storeys = read.toSorted((a, b) => a.index - b.index)
  const storeyOf = () => storeys.find(({ id }) => id === room?.storeyId)
  const storey = storeyFor({ storeys, storeyOf }, '/plan', query)
  if (!storey) return undefined
  return { storeys, storey, spaces: await collect(api.spaces.listAll({ storeyId: storey.id }, { signal })) }
}

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}
