import { type LiveRefusal, problems } from '@storey/contract'
import { toProblem } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import type { Socket } from 'socket.io'
import { type Caller, checkScope } from '../caller.ts'

export interface CommandsOptions {
  findRevision(buildingId: string): Promise<number | undefined>
  /** Counts a command against the limit of the connection. False: the limit is reached. */
  isAllowed(): boolean
  log: Log
}

/** The context of a command. */
export interface CommandContext {
  socket: Socket
  /**
   * Sends the acknowledgement. Call it as soon as the socket has joined the channel, so that events come after the
   * acknowledgement.
   */
  reply(answer: object): void
  /**
   * Returns the building's id in lower case. Throws if the token is not valid for the building, if there is no such
   * building, or if the connection has ended.
   */
  allowedBuilding(buildingId: string): Promise<string>
}

/** If the promise rejects, the client gets a refusal. */
export type Command = (body: unknown, context: CommandContext) => Promise<void>
export type Commands = ReadonlyMap<string, Command>

/** Handles the commands of a socket. Each is acknowledged once, if the client requested that. */
export function handleCommands(socket: Socket, caller: Caller, commands: Commands, options: CommandsOptions): void {
  const { findRevision, isAllowed, log } = options

  /** The token's `building_ids` are checked first, so that a caller cannot find out which other buildings exist. */
  async function allowedBuilding(id: string): Promise<string> {
    const buildingId = id.toLowerCase()
    checkScope(caller, buildingId)
    if ((await findRevision(buildingId)) === undefined) throw problems.notFound('building')
    if (!socket.connected) throw problems.notReady('The connection has ended', 1)
    return buildingId
  }

  function refusalOf(err: unknown): LiveRefusal {
    const { code } = toProblem(err)
    if (code === 'INTERNAL') log.error({ err }, 'live channel: command failed')
    return { ok: false, code }
  }

  socket.onAny((name: string, ...args: unknown[]) => {
    const last = args.at(-1)
    const reply = typeof last === 'function' ? (last as (answer: object) => void) : () => undefined
    if (!isAllowed()) return reply({ ok: false, code: 'RATE_LIMITED' })
    const command = commands.get(name)
    if (command === undefined) return reply({ ok: false, code: 'VALIDATION_FAILED' })
    command(args[0], { socket, reply, allowedBuilding }).catch((err) => reply(refusalOf(err)))
  })
}
