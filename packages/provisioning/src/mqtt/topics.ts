import { BUS_PREFIX } from '@storey/contract'

type Own = Pick<TelemetryTopic, 'organizationId'> & { siteId: string | null; buildingId: string | null }

export interface TelemetryTopic {
  organizationId: string
  siteId: string
  buildingId: string
}

/** The ids in a telemetry topic; undefined for any other topic. */
export function readTelemetryTopic(topic: string): TelemetryTopic | undefined {
  const levels = topic.split('/')
  if (levels.length !== 5 || levels[0] !== BUS_PREFIX || levels[4] !== 'telemetry') return undefined
  const [, organizationId, siteId, buildingId] = levels as [string, string, string, string]
  return { organizationId, siteId, buildingId }
}

export function telemetryTopic({ organizationId, siteId, buildingId }: TelemetryTopic): string {
  return [BUS_PREFIX, organizationId, siteId, buildingId, 'telemetry'].join('/')
}

export const errorsTopic = (topic: TelemetryTopic): string => `${telemetryTopic(topic)}/errors`

/** The filter for all telemetry of an organization. */
export const telemetryOf = (organizationId: string): string => `${BUS_PREFIX}/${organizationId}/+/+/telemetry`
export const ALL_TELEMETRY = telemetryOf('+')
export const ALL_DEVICES = 'rec/+/observations'

/**
 * Whether this is a device topic, `rec/<deviceId>/observations`. The service reads the messages of device topics, but
 * never ingests them (`receive.ts`).
 */
export const isDeviceTopic = (topic: string): boolean => /^rec\/[^/]+\/observations$/.test(topic)

/**
 * A filter may have wildcards only below the level of the organization. It must match the errors topic, because the
 * broker sends nothing else to clients. While the sandbox is being provisioned, its building is unknown, so this second
 * condition is not checked.
 */
export function maySubscribe(filter: string, own: Own): boolean {
  const { organizationId, siteId, buildingId } = own
  if (!filter.startsWith(`${BUS_PREFIX}/${organizationId}/`)) return false
  return siteId === null || buildingId === null || matches(filter, errorsTopic({ organizationId, siteId, buildingId }))
}

/** Whether this is a filter with wildcards, to which no message can be published. */
export const isWildcard = (topic: string): boolean => topic.includes('+') || topic.includes('#')

/** Whether a topic matches a filter (MQTT 3.1.1, 4.7). */
export function matches(filter: string, topic: string): boolean {
  const [filterLevels, levels] = [filter.split('/'), topic.split('/')]
  for (let i = 0; i < filterLevels.length; i++) {
    if (filterLevels[i] === '#') return i === filterLevels.length - 1
    if (i >= levels.length || (filterLevels[i] !== '+' && filterLevels[i] !== levels[i])) return false
  }
  return filterLevels.length === levels.length
}
