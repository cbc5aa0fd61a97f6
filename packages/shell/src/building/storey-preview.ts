import type { BuildingClient, SpaceNode, StoreyNode } from '@storey/sdk'
import { storeyFor } from './use-storey.ts'

/** The storey of the plan, which is read before the rest of the building. */
export interface StoreyPreview {
  /** Lowest first. */
  storeys: readonly StoreyNode[]
  storey: StoreyNode
  spaces: readonly SpaceNode[]
}

type PreviewApi = Pick<BuildingClient, 'storeys' | 'spaces'>

/** Other texts are not requested, because the browser logs each 404. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const reads = new WeakMap<PreviewApi, Promise<StoreyPreview | undefined>>()

/**
 * Reads the storey that the plan at the current address shows, once for all callers. Resolves with undefined on other
 * pages, and if it cannot be read: then the read of the graph reports why.
 */
export async function storeyPreview(api: PreviewApi): Promise<StoreyPreview | undefined> {
  const query = new URLSearchParams(location.search)
  if (location.pathname !== '/plan' || query.get('view') === 'table') return undefined
  const read = reads.get(api) ?? readStoreyPreview(api, query).catch(() => undefined)
  reads.set(api, read)
  return await read
}

/** Reads the storey that an address of the plan leads to; undefined if the building has no storey. */
export async function readStoreyPreview(api: PreviewApi, query: URLSearchParams): Promise<StoreyPreview | undefined> {
  const roomId = UUID.exec(query.get('room') ?? '')?.[0]
  const [read, room] = await Promise.all([
    collect(api.storeys.listAll()),
    roomId === undefined ? undefined : api.spaces.get(roomId).catch(() => undefined),
  ])
  const storeys = read.toSorted((a, b) => a.index - b.index)
  const storeyOf = () => storeys.find(({ id }) => id === room?.storeyId)
  const storey = storeyFor({ storeys, storeyOf }, '/plan', query)
  if (!storey) return undefined
  return { storeys, storey, spaces: await collect(api.spaces.listAll({ storeyId: storey.id })) }
}

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}
