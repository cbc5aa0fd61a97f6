import { BUS_PREFIX, busSubject, CHANGE_KINDS, STACK_CHANGED } from '@storey/contract'
import type { Log } from '@storey/kit/log'
import { createListeners, type OpenBus } from './bus.ts'
import { createNatsLine, type NatsLineOptions } from './nats-line.ts'
import { readMessage } from './read-message.ts'

export interface NatsBusOptions extends Pick<NatsLineOptions, 'url' | 'name' | 'retry'> {
  log: Log
}

const PREFIX = `${BUS_PREFIX}.building.`

/**
 * The bus of a stack that has replicas, or neighbours such as a maintenance system. What is published here is heard here
 * at once, and by the others over NATS as far as it goes: nothing waits for it, and nothing is kept for those who are
 * away. A stack asks for the subjects of its own buildings, and for no one else's.
 */
export function createNatsBus({ log, ...options }: NatsBusOptions): OpenBus {
  const listeners = createListeners(log)
  const followed = new Set<string>()
  let ignored = 0

  const line = createNatsLine({
    ...options,
    log,
    onMessage(subject, text) {
      // A building's id holds no dot, an event's name does.
      const [buildingId = '', ...name] = subject.slice(PREFIX.length).split('.')
      const read = readMessage(buildingId, name.join('.'), text)
      if ('event' in read) return listeners.tell(read.event, 'others')
      ignored++
      log.debug({ subject, reason: read.ignoredFor, ignored }, 'a message on NATS was ignored')
    },
    // Other processes may have changed anything meanwhile.
    onUp() {
      for (const buildingId of followed) {
        listeners.tell({ buildingId, name: STACK_CHANGED, fields: { kinds: [...CHANGE_KINDS] } }, 'others')
      }
    },
  })

  function sendToOthers(subject: string, fields: Record<string, unknown>): void {
    const message = Buffer.from(JSON.stringify(fields))
    const halves = message.length > line.maxBytes() ? halved(fields) : undefined
    if (halves) for (const half of halves) sendToOthers(subject, half)
    else line.send(subject, message)
  }

  return {
    publish(buildingId, name, make) {
      if (!listeners.has(name) && !line.isUp()) return
      const fields = make()
      listeners.tell({ buildingId, name, fields }, 'here')
      if (line.isUp()) sendToOthers(busSubject(buildingId, name), fields)
    },
    hasSubscribers: (name) => line.isUp() || listeners.has(name),
    subscribe: listeners.add,
    follow(buildingIds) {
      for (const buildingId of buildingIds) {
        followed.add(buildingId)
        line.listen(`${PREFIX}${buildingId}.>`)
      }
    },
    close: () => line.close(),
  }
}

/** Long texts can make an event of a thousand observations larger than a server takes: then it goes in pieces. */
function halved(fields: Record<string, unknown>): Record<string, unknown>[] | undefined {
  const { observations } = fields
  if (!Array.isArray(observations) || observations.length < 2) return undefined
  const middle = observations.length >> 1
  return [observations.slice(0, middle), observations.slice(middle)].map((half) => ({ ...fields, observations: half }))
}
