import {
  type JoinAnswer,
  JoinOrder,
  type LeaveAnswer,
  type LiveRefusal,
  problems,
  type ResumeAnswer,
  ResumeOrder,
} from '@storey/contract'
import { createBodyCheck, toProblem } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import type { Socket } from 'socket.io'
import { type Caller, checkReach } from '../caller.ts'
import type { Rooms } from './rooms.ts'

const joinFaults = createBodyCheck(JoinOrder)
const resumeFaults = createBodyCheck(ResumeOrder)

export interface OrdersOptions {
  rooms: Rooms
  buildingExists(buildingId: string): Promise<boolean>
  /** Whether this socket may give one more order now. */
  isAllowed(): boolean
  log: Log
}

type Answer = JoinAnswer | LeaveAnswer | ResumeAnswer
type Reply = (answer: Answer) => void

/** What a socket may ask for. Each order is answered once, to whoever asked for an answer. */
export function takeOrders(socket: Socket, caller: Caller, options: OrdersOptions): void {
  const { rooms, buildingExists, isAllowed, log } = options

  async function join(body: unknown, reply: Reply): Promise<void> {
    const buildingId = await admitted(idOf(body))
    reply({ ok: true, buildingId, sequence: rooms.join(socket, buildingId) })
  }

  async function leave(body: unknown, reply: Reply): Promise<void> {
    const buildingId = idOf(body)
    rooms.leave(socket, buildingId)
    reply({ ok: true, buildingId })
  }

  async function resume(body: unknown, reply: Reply): Promise<void> {
    const faults = resumeFaults(body)
    if (faults.length > 0) throw problems.validation(faults)
    const { buildingId: id, after } = body as ResumeOrder
    const buildingId = await admitted(id.toLowerCase())
    const resumed = rooms.resume(socket, buildingId, after)
    if (resumed === undefined) return reply({ ok: false, code: 'SNAPSHOT_REQUIRED' })
    const { sequence, start } = resumed
    reply({ ok: true, buildingId, sequence, replayed: sequence - after })
    start()
  }

  /** What the token does not reach is refused before it is looked for. */
  async function admitted(buildingId: string): Promise<string> {
    checkReach(caller, buildingId)
    if (!(await buildingExists(buildingId))) throw problems.notFound('building')
    if (!socket.connected) throw problems.notReady('The connection has ended', 1)
    return buildingId
  }

  function refusalOf(err: unknown): LiveRefusal {
    const { code } = toProblem(err)
    if (code === 'INTERNAL') log.error({ err }, 'an order of the live channel failed')
    return { ok: false, code }
  }

  const orders = new Map(Object.entries({ join, leave, resume }))
  socket.onAny((name: string, ...args: unknown[]) => {
    const last = args.at(-1)
    const reply: Reply = typeof last === 'function' ? (last as Reply) : () => undefined
    if (!isAllowed()) return reply({ ok: false, code: 'RATE_LIMITED' })
    const obey = orders.get(name)
    if (obey === undefined) return reply({ ok: false, code: 'VALIDATION_FAILED' })
    obey(args[0], reply).catch((err) => reply(refusalOf(err)))
  })
}

function idOf(body: unknown): string {
  const faults = joinFaults(body)
  if (faults.length > 0) throw problems.validation(faults)
  const order = body as JoinOrder
  return (typeof order === 'string' ? order : order.buildingId).toLowerCase()
}
