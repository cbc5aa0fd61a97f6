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
import { type Caller, checkScope } from '../caller.ts'
import type { BuildingChannels } from './building-channels.ts'

const joinErrors = createBodyCheck(JoinOrder)
const resumeErrors = createBodyCheck(ResumeOrder)

export interface CommandsOptions {
  channels: BuildingChannels
  buildingExists(buildingId: string): Promise<boolean>
  /** Whether this socket may send one more command now. */
  isAllowed(): boolean
  log: Log
}

type Answer = JoinAnswer | LeaveAnswer | ResumeAnswer
type Reply = (answer: Answer) => void

/** Handles the commands of a socket. Each is acknowledged once, if the client asked for it. */
export function handleCommands(socket: Socket, caller: Caller, options: CommandsOptions): void {
  const { channels, buildingExists, isAllowed, log } = options

  async function join(body: unknown, reply: Reply): Promise<void> {
    const buildingId = await allowedBuilding(idOf(body))
    reply({ ok: true, buildingId, sequence: channels.join(socket, buildingId) })
  }

  async function leave(body: unknown, reply: Reply): Promise<void> {
    const buildingId = idOf(body)
    channels.leave(socket, buildingId)
    reply({ ok: true, buildingId })
  }

  async function resume(body: unknown, reply: Reply): Promise<void> {
    const errors = resumeErrors(body)
    if (errors.length > 0) throw problems.validation(errors)
    const { buildingId: id, after } = body as ResumeOrder
    const buildingId = await allowedBuilding(id.toLowerCase())
    const resumed = channels.resume(socket, buildingId, after)
    if (resumed === undefined) return reply({ ok: false, code: 'SNAPSHOT_REQUIRED' })
    const { sequence, start } = resumed
    reply({ ok: true, buildingId, sequence, replayed: sequence - after })
    start()
  }

  /** The scope of the token is checked before the building is looked up. */
  async function allowedBuilding(buildingId: string): Promise<string> {
    checkScope(caller, buildingId)
    if (!(await buildingExists(buildingId))) throw problems.notFound('building')
    if (!socket.connected) throw problems.notReady('The connection has ended', 1)
    return buildingId
  }

  function refusalOf(err: unknown): LiveRefusal {
    const { code } = toProblem(err)
    if (code === 'INTERNAL') log.error({ err }, 'live channel: command failed')
    return { ok: false, code }
  }

  const commands = new Map(Object.entries({ join, leave, resume }))
  socket.onAny((name: string, ...args: unknown[]) => {
    const last = args.at(-1)
    const reply: Reply = typeof last === 'function' ? (last as Reply) : () => undefined
    if (!isAllowed()) return reply({ ok: false, code: 'RATE_LIMITED' })
    const handle = commands.get(name)
    if (handle === undefined) return reply({ ok: false, code: 'VALIDATION_FAILED' })
    handle(args[0], reply).catch((err) => reply(refusalOf(err)))
  })
}

function idOf(body: unknown): string {
  const errors = joinErrors(body)
  if (errors.length > 0) throw problems.validation(errors)
  const order = body as JoinOrder
  return (typeof order === 'string' ? order : order.buildingId).toLowerCase()
}
