import { openConnections, readSlugs, type StackAnswer } from '@storey/provisioning/operator'
import type { Command } from './command.ts'
import { lines } from './lines.ts'

const MB = 1024 * 1024

const list: Command = {
  async run({ control, openServers, service }) {
    const isRunning = await service.isRunning()
    const answers = isRunning ? await service.ask<StackAnswer[]>({ kind: 'list_stacks' }) : []
    const slugs = await readSlugs(
      control,
      answers.map(({ sandboxId }) => sandboxId),
    )
    const connections = await openConnections(await openServers())
    const stacks = answers.map((stack) => ({
      ...stack,
      slug: slugs.get(stack.sandboxId) ?? null,
      connections: connections.get(stack.sandboxId) ?? 0,
    }))
    const text = lines(stacks, (stack) => [
      stack.sandboxId,
      stack.slug,
      stack.state,
      stack.memoryBytes === null ? null : `${Math.round(stack.memoryBytes / MB)} MB`,
      `${stack.connections} of ${stack.maxConnections} database connections`,
      stack.uses === 0 ? 'not in use' : `requests and live connections in progress: ${stack.uses}`,
      `last used ${stack.lastUsedAt ?? 'never'}`,
    ])
    return { text: isRunning ? text : 'The service is not running.', json: { isRunning, stacks } }
  },
}

export const STACK_COMMANDS: Record<string, Command> = { 'stack list': list }
