import type { DemoSandbox } from './fixture.ts'

interface Node {
  id: string
  name: string
  externalId: string
  storeyId: string
  spaceTypeSlug: string
  status: string
  areaSqm: number
}

const graphOf = async ({ api, buildingId }: DemoSandbox): Promise<{ spaces: Node[]; storeys: Node[] }> =>
  api(`/buildings/${buildingId}/graph`)

/** The legend of a data layer that shows the states of the mall's leases. */
const LEASES = [
  { value: 'runs', label: 'Runs beyond next year', color: '#a8d5ba' },
  { value: 'ends', label: 'Ends this year', color: '#f3d08a' },
  { value: 'notice', label: 'Notice given', color: '#eda293' },
  { value: 'vacant', label: 'Vacant', color: '#c9d0d6' },
]

export async function colourRooms(sandbox: DemoSandbox): Promise<void> {
  const { api, buildingId } = sandbox
  const { spaces } = await graphOf(sandbox)
  const layers = `/buildings/${buildingId}/data-layers`
  const layer = { key: 'leases', name: 'Leases', valueType: 'STRING', legend: LEASES }
  const { id } = await api(layers, { body: layer })
  const leased = spaces.filter(({ spaceTypeSlug }) =>
    /shop|store|restaurant|food|kiosk|cinema|market/.test(spaceTypeSlug),
  )
  const leaseStates = ['runs', 'runs', 'ends', 'runs', 'notice', 'runs', 'runs', 'ends']
  const values = Object.fromEntries(
    leased.map(({ externalId, status }, i) => [
      externalId,
      status === 'vacant' ? 'vacant' : leaseStates[i % leaseStates.length],
    ]),
  )
  await api(`${layers}/${id}/values`, { method: 'PUT', body: { values } })
}

/** Changes the building as after a renovation: renames rooms, takes some out of service, changes the type of one. */
export async function changeBuilding(sandbox: DemoSandbox): Promise<void> {
  const { api, buildingId } = sandbox
  const { spaces, storeys } = await graphOf(sandbox)
  const storey = storeys[1]!
  const space = (id: string, body: object) => api(`/buildings/${buildingId}/spaces/${id}`, { method: 'PATCH', body })
  const here = spaces.filter(({ storeyId }) => storeyId === storey.id)
  const of = (slug: string) => here.filter(({ spaceTypeSlug }) => spaceTypeSlug === slug)
  const [first, second] = of('meeting-room')
  if (first) await space(first.id, { name: 'Boardroom', capacity: 16 })
  if (second) await space(second.id, { name: 'Training room', spaceTypeSlug: 'training-room' })
  for (const office of of('private-office').slice(0, 2)) await space(office.id, { status: 'out_of_service' })
  for (const [i, office] of of('open-office').slice(0, 2).entries()) await space(office.id, { name: `Studio ${i + 1}` })
}
