import { readFileSync } from 'node:fs'
import type { DemoSandbox } from './fixture.ts'

/** The addresses of all pages of the console: one for each route, and further states of some pages. */
export async function consoleAddresses(sandbox: DemoSandbox): Promise<string[]> {
  const examples = await exampleIds(sandbox)
  const patterns = routePatterns(readFileSync('packages/shell/src/routes.ts', 'utf8'))
  const addresses = patterns.map((pattern) => addressOf(pattern, examples))
  const { storey, room, points, meter } = examples
  const states = [
    `/plan?storey=${storey}&room=${room}`,
    `/plan?storey=${storey}&view=table`,
    `/plan?storey=${storey}&replay=week`,
    `/points/${points}?range=week`,
    `/points/${meter}?range=month`,
    `/plan?storey=${storey}&replay=day&room=${room}`,
    '/history?from=1',
    '/faults?show=past',
  ]
  return [...addresses, ...states, '/docs', '/nowhere']
}

/** The addresses of all pages of the portal, with the pages of one sandbox. */
export const portalAddresses = ({ sandboxId }: Pick<DemoSandbox, 'sandboxId'>): string[] => {
  const sandbox = `/sandboxes/${sandboxId}`
  return [
    '/',
    '/sandboxes/new',
    sandbox,
    `${sandbox}/connect`,
    `${sandbox}/accounts`,
    '/keys',
    '/audit',
    '/docs',
    '/nowhere',
  ]
}

/** A name for the picture of an address: `/rooms/0191…?view=table` becomes `-rooms-id-view-table`. */
export const pictureName = (address: string): string =>
  address
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|sbx_\w+/g, 'id')
    .replace(/\W+/g, '-')
    .replace(/-$/, '') || '-start'

/** The paths in `routes.ts`. They are read as text, because the pages need a browser. */
export const routePatterns = (source: string): string[] =>
  [...source.matchAll(/^\s+path: ['`](.+)['`],$/gm)].map(([, path]) => path!.replace(/\$\{MODULE_ROUTE\}/, '/sandbox/'))

/** Replaces the parameter of a pattern by the example for the first part of the pattern. */
export function addressOf(pattern: string, examples: Readonly<Record<string, string>>): string {
  const example = examples[pattern.split('/')[1]!]
  if (pattern.includes(':') && example === undefined) {
    throw new Error(`Add an example for ${pattern} to scripts/screenshots/addresses.ts`)
  }
  return pattern.replace(/:\w+/, example!)
}

interface Node {
  id: string
  code: string
  name: string
  storeyId: string
  spaceId: string | null
  elementId: string
}

/** An id for each kind of page that has one, by the first part of its path. */
async function exampleIds({ api, buildingId }: DemoSandbox): Promise<Record<string, string>> {
  const building = `/buildings/${buildingId}`
  const { storeys, spaces, elements, points } = await api(`${building}/graph`)
  const point = (points as Node[]).find(({ name }) => name === 'Zone temperature')!
  const element = (elements as Node[]).find(({ id }) => id === point.elementId)!
  const room = (spaces as Node[]).find(({ id }) => id === element.spaceId)!
  const storey = (storeys as Node[]).find(({ id }) => id === room.storeyId)!
  const create = async (path: string, body: unknown, headers = {}): Promise<string> => {
    const { id, importId } = await api(path, { body, headers })
    return id ?? importId
  }
  const operations = [{ op: 'update', kind: 'space', id: room.id, data: { name: 'Quiet room' } }]
  const layer = await create(`${building}/data-layers`, { key: 'desks', name: 'Desks', valueType: 'NUMBER' })
  const values = Object.fromEntries((spaces as Node[]).map(({ id }, i) => [id, i % 12]))
  await api(`${building}/data-layers/${layer}/values`, { method: 'PUT', body: { keyBy: 'id', values } })
  await api(`${building}/snapshots`, { body: { name: 'Handover' } })
  return {
    storey: storey.code,
    room: room.id,
    rooms: room.id,
    elements: element.id,
    points: point.id,
    meter: (points as Node[]).find(({ name }) => name === 'Energy')!.id,
    requests: await create('/service-desk/requests', {
      buildingId,
      spaceId: room.id,
      title: 'The window does not close',
    }),
    changesets: await create(`${building}/changesets`, { title: 'Rename a room', operations }),
    layers: layer,
    webhooks: await create('/webhooks', { url: 'http://localhost:4999/storey', events: ['building.alarm.triggered'] }),
    imports: await create(`${building}/import/ifc`, BROKEN_MODEL, STEP),
    sandbox: 'occupancy-board',
  }
}

/** The import of this model fails, so that the building stays as it is. */
const BROKEN_MODEL = readFileSync('examples/data/house.ifc', 'utf8').slice(0, -40)
const STEP = { 'content-type': 'application/x-step' }
