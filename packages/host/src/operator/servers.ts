import { countOf, problems } from '@storey/contract'
import { claimServers, drainServer, forgetServer, listServers, refuseForeign } from '@storey/provisioning/operator'
import { type Arguments, needed, UsageError } from './arguments.ts'
import type { Command, CommandDeps } from './command.ts'
import { lines } from './lines.ts'

const MB = 1024 * 1024

const list: Command = {
  async run({ control, openServers }) {
    const servers = await listServers(control, await openServers())
    return {
      text: lines(servers, ({ id, address, isUp, takesNew, sandboxes, bytes, awake, reason, refusal }) => [
        id,
        address,
        isUp ? 'up' : 'down',
        takesNew ? 'takes new sandboxes' : 'takes no new sandboxes',
        countOf(sandboxes, 'sandbox', 'sandboxes'),
        `${Math.round(bytes / MB)} MB`,
        `${awake} awake`,
        ...[reason, refusal].filter((text) => text !== undefined),
      ]),
      json: servers,
    }
  },
}

const SERVER = 'the id or address of a server'

/** The id of the server that has this id or address. If no server is found, `subject` is assumed to be an id. */
async function idOf({ openServers }: CommandDeps, { subject }: Arguments): Promise<string> {
  const name = needed(subject, SERVER)
  const found = (await openServers()).find(name)
  if (found && found.id === undefined) throw problems.notFound(`database server: ${name}`)
  return found?.id ?? name
}

const drain = (isDraining: boolean): Command => ({
  argument: SERVER,
  async run(deps, args) {
    const id = await idOf(deps, args)
    await drainServer(deps, id, isDraining)
    const text = isDraining ? `${id} takes no new sandboxes. Move those that it has.` : `${id} takes new sandboxes.`
    return { text, json: { id, isDraining } }
  },
})

const forget: Command = {
  argument: SERVER,
  options: ['yes'],
  async run(deps, args) {
    needed(args.subject, SERVER)
    if (!args.options.yes) throw new UsageError('--yes is missing: the sandboxes of the server lose their databases')
    const id = await idOf(deps, args)
    const servers = await deps.openServers()
    // The lost server cannot be checked for use by another control database, so the servers that answer are checked.
    await refuseForeign(servers, ...servers.present().map((server) => server.id))
    const sandboxes = await forgetServer({ ...deps, servers }, id)
    const text = `Forgot ${id}. Sandboxes set to failed: ${sandboxes.length}. Their owners can reset or delete them.`
    return { text, json: { id, sandboxes } }
  },
}

const claim: Command = {
  options: ['yes'],
  async run(deps, { options }) {
    if (!options.yes)
      throw new UsageError('--yes is missing: a service with another control database can no longer use the servers')
    const { claimed, refusals } = await claimServers({ ...deps, servers: await deps.openServers() })
    const none =
      refusals.length === 0 ? ['All database servers that answer belong to this control database already.'] : []
    const done = [`Claimed ${claimed.join(', ')} for this control database.`]
    return {
      text: [...(claimed.length > 0 ? done : none), ...refusals.map((text) => `Not claimed: ${text}.`)].join('\n'),
      json: { claimed, refusals },
      exitCode: refusals.length > 0 ? 1 : 0,
    }
  },
}

export const SERVER_COMMANDS: Record<string, Command> = {
  'server list': list,
  'server drain': drain(true),
  'server resume': drain(false),
  'server forget': forget,
  'server claim': claim,
}
