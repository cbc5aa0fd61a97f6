import { Agent, type ClientRequest, request as open, type RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { RunningStack } from '../stacks/index.ts'

/** A client that pauses for longer gets another one. The stack itself waits 72 s. */
const IDLE_MS = 15_000

/**
 * The connection to a stack that belongs to one connection of one client. Requests of different clients never follow
 * each other on it, so that whatever one of them could put into it would reach its own sender alone.
 */
export interface StackLink {
  open(stack: RunningStack, options: RequestOptions): ClientRequest
  /** Ends it: the next request gets another. */
  drop(): void
}

export function createStackLink(): StackLink {
  let agent: Agent | undefined
  let to: RunningStack | undefined

  function drop(): void {
    agent?.destroy()
    agent = undefined
  }

  return {
    open(stack, options) {
      if (stack !== to) drop()
      to = stack
      agent ??= new OneConnection({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 })
      return open({ ...options, host: stack.host, port: stack.port, agent })
    },
    drop,
  }
}

/** Keeps a connection only as long as nothing comes on it that was not asked for. */
class OneConnection extends Agent {
  // The type says that nothing is returned; the agent asks for the answer.
  override keepSocketAlive(socket: Socket): boolean {
    if (socket.readableLength > 0 || socket.writableLength > 0) return false
    const isKept = super.keepSocketAlive(socket) as unknown as boolean
    socket.once('data', endSocket)
    socket.setTimeout(IDLE_MS)
    return isKept
  }

  override reuseSocket(socket: Socket, request: ClientRequest): void {
    socket.off('data', endSocket)
    socket.setTimeout(0)
    super.reuseSocket(socket, request)
  }
}

function endSocket(this: Socket): void {
  this.destroy()
}
