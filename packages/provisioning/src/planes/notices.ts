import { randomUUID } from 'node:crypto'
import type { StackCommand } from '@storey/contract'
import { createListener, type Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { ReplicaList, StackAddress } from '../stacks/index.ts'
import { notify } from './planes.store.ts'
import type { StackLocation, StackProblem } from './stack-location.ts'

/** What a control plane requests from the leader. A request can be repeated, so each is idempotent. */
export type StackRequest =
  | {
      kind: 'start'
      sandboxId: string
      organizationId: string
      serverId: string | null
      client: string | null
      isVerified: boolean
    }
  /** With `replica`, only this process of the stack is stopped, because it does not respond. */
  | { kind: 'stop'; sandboxId: string; replica?: StackAddress }
  | { kind: 'send'; sandboxId: string; command: StackCommand }

export type StackAnswer = StackLocation | StackProblem

/**
 * A message to the other control planes. A control plane that is not connected misses the message, so nothing may
 * depend on the message alone.
 */
export type Notice =
  /** A sandbox changed: its row is read again. */
  | { type: 'changed'; slug: string }
  /** The reconciler has work. */
  | { type: 'work' }
  /** The leader resigned: another control plane can lead now. */
  | { type: 'resigned' }
  /** The stack of the sandbox has ended, is being stopped, or is stopped soon unless somebody uses it. */
  | { type: 'gone'; sandboxId: string }
  /** The processes that serve the stack have changed. */
  | { type: 'replicas'; sandboxId: string; replicas: ReplicaList }
  | { type: 'ask'; id: string; request: StackRequest }
  | { type: 'answer'; id: string; to: string; answer: StackAnswer }
  /** An MQTT client connected to the sender of this notice. Any other connection with the same client id is closed. */
  | { type: 'mqtt-client'; clientId: string }

export interface NoticesOptions {
  control: Database
  url: string
  planeId: string
  log: Log
  onNotice(notice: Notice, from: string): void
  /** Called when a notice of this control plane itself arrives. All control planes get notices in the same order. */
  onOwnNotice(notice: Notice): void
  /** Called when notices may have been lost. */
  onGap(): void
}

const CHANNEL = 'storey_control'
/** PostgreSQL refuses payloads of 8,000 bytes or more. */
const MAX_BYTES = 7_900

export const newPlaneId = (): string => `cp_${randomUUID().replaceAll('-', '').slice(0, 16)}`

/** Messages between the control planes of one control database, by LISTEN and NOTIFY. */
export function createNotices(options: NoticesOptions) {
  const { control, url, planeId, log, onNotice, onOwnNotice, onGap } = options
  const listener = createListener({
    ...{ url, applicationName: 'storey-notices', channel: CHANNEL, log },
    onListening: onGap,
    onMessage(payload) {
      const message = parse(payload)
      if (message?.from === planeId) onOwnNotice(message.notice)
      else if (message) onNotice(message.notice, message.from)
    },
  })

  return {
    start: listener.start,
    close: listener.close,
    async send(notice: Notice): Promise<void> {
      const payload = JSON.stringify({ from: planeId, notice })
      if (Buffer.byteLength(payload) > MAX_BYTES) throw new Error(`notice too long: ${notice.type}`)
      await notify(control, CHANNEL, payload)
    },
  }
}

export type Notices = ReturnType<typeof createNotices>

/** Undefined for a text that no control plane has sent. */
function parse(payload: string): { from: string; notice: Notice } | undefined {
  try {
    const { from, notice } = JSON.parse(payload)
    return typeof from === 'string' && typeof notice?.type === 'string' ? { from, notice } : undefined
  } catch {
    return undefined
  }
}
