import type { BuildingClient, SpaceNode, StoreyNode } from '@storey/sdk'
import { storeyFor } from './storey-for.ts'

/** All storeys, and the storey that the plan shows with its rooms. They are read before the rest of the building. */
export interface StoreyPreview {
  /** Lowest first. */
  storeys: readonly StoreyNode[]
  storey: StoreyNode
  spaces: readonly SpaceNode[]
}

type PreviewApi = Pick<BuildingClient, 'storeys' | 'spaces'>

/** The parameter `room` of the address is used only if it is a UUID: for other values the browser would log a 404. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * After a plan was read, the rest of the building is read when the plan is drawn, or after this time: in a hidden tab
 * the plan may never be drawn.
 */
const DRAW_LIMIT_MS = 300

/** The plan that is shown while the rest of the building is loading. */
export interface FirstPlan {
  /** Undefined if the building has no storey, or if reading the plan fails: reading the graph then reports why. */
  preview: Promise<StoreyPreview | undefined>
  /**
   * Resolves when everything else may be loaded. Loading it earlier would delay the plan, in the service and in the
   * browser.
   */
  drawn: Promise<void>
  noteDrawn(): void
}

const NONE: FirstPlan = { preview: Promise.resolve(undefined), drawn: Promise.resolve(), noteDrawn() {} }
const plans = new WeakMap<PreviewApi, FirstPlan>()

/** The plan at the address of the first call; it is read once for all callers. Pages without a plan have `NONE`. */
export function firstPlan(api: PreviewApi): FirstPlan {
  const query = new URLSearchParams(location.search)
  if (location.pathname !== '/plan' || query.get('view') === 'table') return NONE
  const plan = plans.get(api) ?? createFirstPlan(readStoreyPreview(api, query))
  plans.set(api, plan)
  return plan
}

export function createFirstPlan(read: Promise<StoreyPreview | undefined>): FirstPlan {
  const { promise: drawn, resolve: noteDrawn } = Promise.withResolvers<void>()
  const preview = read.catch(() => undefined)
  void preview.then((found) => (found ? setTimeout(noteDrawn, DRAW_LIMIT_MS) : noteDrawn()))
  return { preview, drawn, noteDrawn }
}

/** Reads the preview for an address of the plan. The result is undefined if the building has no storey. */
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
