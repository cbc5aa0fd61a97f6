import { listServers } from '@storey/provisioning/operator'
import type { Command } from './command.ts'
import { lines } from './lines.ts'

const MB = 1024 * 1024

const list: Command = {
  async run({ control, openServers }) {
    const servers = await listServers(control, await openServers())
    return {
      text: lines(servers, ({ id, address, isUp, takesNew, sandboxes, bytes, awake, reason }) => [
        id,
        address,
        isUp ? 'up' : 'down',
        takesNew ? 'takes new sandboxes' : 'takes no new sandboxes',
        `${sandboxes} sandboxes`,
        `${Math.round(bytes / MB)} MB`,
        `${awake} awake`,
        ...(reason === undefined ? [] : [reason]),
      ]),
      json: servers,
    }
  },
}

export const SERVER_COMMANDS: Record<string, Command> = { 'server list': list }
