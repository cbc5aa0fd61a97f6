import type { MixedPart, MixedSoak } from './mixed-part.ts'

/** How many requests are in progress at a time. */
const IN_PROGRESS = 20
const MOVES = ['in_progress', 'on_hold', 'in_progress', 'resolved', 'closed'] as const
const TITLES = ['The room is too warm', 'The tap drips', 'The lift stops between storeys', 'Die Lampe flackert']

/** People who report problems, and a facility team that works on them and reads its lists. */
export async function openDesk({ connection, base, api }: MixedSoak): Promise<MixedPart> {
  const { buildingId, apiUrl } = connection
  const requests = `${apiUrl}/api/service-desk/requests`
  const { json } = await api(`${base}/spaces?limit=200`, 200)
  const spaces: string[] = json.data.map(({ id }: { id: string }) => id)
  const any = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)]!

  const inProgress: { url: string; moves: number }[] = []
  async function report(): Promise<void> {
    const body = { buildingId, spaceId: any(spaces), title: any(TITLES), priority: any(['low', 'normal', 'high']) }
    const { json } = await api(requests, 201, { body })
    const url = `${requests}/${json.id}`
    await api(url, 200, { method: 'PATCH', body: { assignedTeamId: 'facilities' } })
    inProgress.push({ url, moves: 0 })
  }
  async function move(): Promise<void> {
    const request = any(inProgress)
    await api(`${request.url}/comments`, 201, { body: { text: 'We have looked at it.' } })
    await api(`${request.url}/transition`, 200, { body: { state: MOVES[request.moves++] } })
    if (request.moves === MOVES.length) inProgress.splice(inProgress.indexOf(request), 1)
  }

  const lists = [
    'limit=50',
    `buildingId=${buildingId}&state=in_progress`,
    `search=${encodeURIComponent('room warm')}`,
    'overdue=true&page=2',
  ]
  let next = 0
  return {
    tasks: [
      {
        what: 'changes of service requests',
        everyMs: 2_000,
        work: () => (inProgress.length < IN_PROGRESS ? report() : move()),
      },
      {
        what: 'lists of service requests',
        everyMs: 2_000,
        work: () => api(`${requests}?${lists[next++ % lists.length]}`, 200),
      },
    ],
  }
}
