import { JoinChanges, type JoinChangesAnswer, problems } from '@storey/contract'
import { createBodyCheck } from '@storey/kit/http'
import { leaveCommand } from './building-commands.ts'
import type { ChangeChannel } from './change-channel.ts'
import type { Channels } from './channels.ts'
import type { Command, Commands } from './commands.ts'

const joinErrors = createBodyCheck(JoinChanges)

/**
 * The commands of the namespace `/changes`. `onFollowed` is called when a person, not a program, joins a building that
 * no other person follows.
 */
export function changeCommands(
  channels: Channels<ChangeChannel>,
  findRevision: (buildingId: string) => Promise<number | undefined>,
  onFollowed: () => void,
): Commands {
  const join: Command = async (body, { socket, reply, allowedBuilding }) => {
    const errors = joinErrors(body)
    if (errors.length > 0) throw problems.validation(errors)
    const command = body as JoinChanges
    const { buildingId: id, after } = typeof command === 'string' ? { buildingId: command } : command
    const buildingId = await allowedBuilding(id)
    const channel = channels.open(buildingId)
    const wasFollowed = channel.hasPerson()
    const { end, ...joined } = channel.join(socket, after)
    let isAcknowledged = false
    try {
      // The revision is read after the socket has joined, so that every later revision is reported to the socket.
      const revision = (await findRevision(buildingId)) ?? 0
      reply({ ok: true, buildingId, ...joined, revision } satisfies JoinChangesAnswer)
      isAcknowledged = true
    } finally {
      end(isAcknowledged)
    }
    if (!wasFollowed && channel.hasPerson()) onFollowed()
  }
  return new Map(Object.entries({ join, leave: leaveCommand(channels) }))
}
