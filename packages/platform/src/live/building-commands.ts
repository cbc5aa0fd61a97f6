import {
  type JoinAnswer,
  JoinCommand,
  type LeaveAnswer,
  problems,
  type ResumeAnswer,
  ResumeCommand,
} from '@storey/contract'
import { createBodyCheck } from '@storey/kit/http'
import type { BuildingChannel } from './building-channel.ts'
import type { Channel, Channels } from './channels.ts'
import type { Command, Commands } from './commands.ts'

const joinErrors = createBodyCheck(JoinCommand)
const resumeErrors = createBodyCheck(ResumeCommand)

/** The commands of the namespace `/buildings` (`LIVE_NAMESPACE` of the contract), which `socket-server.ts` serves. */
export function buildingCommands(channels: Channels<BuildingChannel>): Commands {
  const join: Command = async (body, { socket, reply, allowedBuilding }) => {
    const buildingId = await allowedBuilding(idOf(body))
    const sequence = channels.open(buildingId).join(socket)
    reply({ ok: true, buildingId, sequence } satisfies JoinAnswer)
  }

  const resume: Command = async (body, { socket, reply, allowedBuilding }) => {
    const errors = resumeErrors(body)
    if (errors.length > 0) throw problems.validation(errors)
    const { buildingId: id, after } = body as ResumeCommand
    const buildingId = await allowedBuilding(id)
    const resumed = channels.find(buildingId)?.resume(socket, after)
    if (resumed === undefined) return reply({ ok: false, code: 'SNAPSHOT_REQUIRED' } satisfies ResumeAnswer)
    const { sequence, start } = resumed
    reply({ ok: true, buildingId, sequence, replayed: sequence - after } satisfies ResumeAnswer)
    start()
  }

  return new Map(Object.entries({ join, leave: leaveCommand(channels), resume }))
}

export function leaveCommand<C extends Channel>(channels: Channels<C>): Command {
  return async (body, { socket, reply }) => {
    const buildingId = idOf(body)
    channels.leave(socket, buildingId)
    reply({ ok: true, buildingId } satisfies LeaveAnswer)
  }
}

function idOf(body: unknown): string {
  const errors = joinErrors(body)
  if (errors.length > 0) throw problems.validation(errors)
  const command = body as JoinCommand
  return (typeof command === 'string' ? command : command.buildingId).toLowerCase()
}
