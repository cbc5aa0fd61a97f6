import { busSubject, busSubjectsOf, CHANGE_KINDS, readBusSubject, STACK_CHANGED } from '@storey/contract'
import type { Log } from '@storey/kit/log'
import { createListeners, type OpenBus } from './bus.ts'
import { createNatsConnection, type NatsConnectionOptions } from './nats-connection.ts'
import { readMessage } from './read-message.ts'

export interface NatsBusOptions extends Pick<NatsConnectionOptions, 'urls' | 'name' | 'retry'> {
  log: Log
}

/**
 * The bus of a stack that has replicas (other processes of the same sandbox), or is connected to other systems such as
 * a maintenance system. Listeners of this process are called immediately. Other processes get the event over NATS with
 * best effort: the publisher does not wait for them, and nothing is stored for disconnected processes. A stack
 * subscribes only to the subjects of its own buildings. `busSubject` in `contract/src/events.ts` defines the subjects.
 */
export function createNatsBus({ log, ...options }: NatsBusOptions): OpenBus {
  const listeners = createListeners(log)
  const followed = new Set<string>()
  let ignored = 0

  const nats = createNatsConnection({
    ...options,
    log,
    onMessage(subject, text) {
      const { buildingId, name } = readBusSubject(subject)
      const read = readMessage(buildingId, name, text)
      if ('event' in read) return listeners.notify(read.event, 'others')
      ignored++
      log.debug({ subject, reason: read.ignoredBecause, ignored }, 'NATS message ignored')
    },
    // While NATS was disconnected, other processes may have changed data of any kind.
    onUp() {
      for (const buildingId of followed) {
        listeners.notify({ buildingId, name: STACK_CHANGED, fields: { kinds: [...CHANGE_KINDS] } }, 'others')
      }
    },
  })

  function sendToOthers(subject: string, fields: Record<string, unknown>): void {
    const message = Buffer.from(JSON.stringify(fields))
    const halves = message.length > nats.maxBytes() ? halved(fields) : undefined
    if (halves) for (const half of halves) sendToOthers(subject, half)
    else nats.send(subject, message)
  }

  return {
    publish(buildingId, name, createFields) {
      if (!listeners.has(name) && !nats.isUp()) return
      const fields = createFields()
      listeners.notify({ buildingId, name, fields }, 'here')
      if (nats.isUp()) sendToOthers(busSubject(buildingId, name), fields)
    },
    hasSubscribers: (name) => nats.isUp() || listeners.has(name),
    subscribe: listeners.add,
    follow(buildingIds) {
      for (const buildingId of buildingIds) {
        followed.add(buildingId)
        nats.listen(busSubjectsOf(buildingId))
      }
    },
    untilConnected: nats.untilUp,
    isConnected: nats.isUp,
    close: () => nats.close(),
  }
}

/**
 * Two events with half of the observations each, or undefined if there are fewer than two observations. Long texts can
 * make a thousand observations larger than the server accepts.
 */
function halved(fields: Record<string, unknown>): Record<string, unknown>[] | undefined {
  const { observations } = fields
  if (!Array.isArray(observations) || observations.length < 2) return undefined
  const middle = observations.length >> 1
  return [observations.slice(0, middle), observations.slice(middle)].map((half) => ({ ...fields, observations: half }))
}
