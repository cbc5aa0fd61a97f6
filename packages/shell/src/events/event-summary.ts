import type { LiveEvents } from '@storey/sdk'
import { useTexts } from '@storey/web'
import { useCallback } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { useFaultTitle } from '../faults/fault-title.ts'
import { SEVERITIES } from '../faults/severities.ts'
import { faultTexts } from '../faults/texts.ts'
import { useValueFormat } from '../live/format-value.ts'
import type { LoggedEvent } from './event-log.ts'
import { observationsOf } from './filter-events.ts'
import { eventTexts } from './texts.ts'

const SHOWN_VALUES = 3

/**
 * One line about an event, with the names of nodes instead of their ids. If `ids` is given, the line lists only the
 * values of these points and elements, but counts all values of the event.
 */
export function useEventSummary(ids: ReadonlySet<string> | undefined): (event: LoggedEvent) => string {
  const t = useTexts(eventTexts)
  const building = useBuildingData()
  const format = useValueFormat()
  const faultText = useTexts(faultTexts)
  const titleOf = useFaultTitle()
  return useCallback(
    (event) => {
      const roomOf = (spaceId: string) => building.space(spaceId)?.name ?? t('unknownNode')
      const fieldsOf = <K extends keyof LiveEvents>(_kind: K) => event.fields as unknown as LiveEvents[K]
      switch (event.kind) {
        case 'building.point.updated': {
          const observations = observationsOf(event)
          const wanted = ids
            ? observations.filter(({ pointId, elementId }) => ids.has(pointId) || ids.has(elementId))
            : observations
          const named = wanted.slice(0, SHOWN_VALUES).map(({ pointId, value }) => {
            const point = building.point(pointId)
            const place = building.spaceOf(pointId)?.name
            const text = `${point?.name ?? t('unknownNode')} ${format.reading(value, point?.unit ?? '')}`
            return place ? `${text} (${place})` : text
          })
          const more = wanted.length > SHOWN_VALUES ? ['…'] : []
          return `${t('values', { n: observations.length })}: ${[...named, ...more].join(', ')}`
        }
        case 'building.alarm.triggered': {
          const { severity, title } = fieldsOf(event.kind)
          const known = SEVERITIES.find((one) => one === severity)
          return `${known ? faultText(known) : severity}: ${titleOf(title)}`
        }
        case 'wifi-sensing.event': {
          const { spaceId, deviceCount } = fieldsOf(event.kind)
          return `${roomOf(spaceId)}: ${t('devices', { n: deviceCount })}`
        }
        case 'wifi-sensing.occupancy.changed': {
          const { spaceId, previousCount, count } = fieldsOf(event.kind)
          return `${roomOf(spaceId)}: ${previousCount} → ${t('people', { n: count })}`
        }
        case 'wifi-sensing.hvac.presence': {
          const { spaceId, present } = fieldsOf(event.kind)
          return `${roomOf(spaceId)}: ${t(present ? 'present' : 'absent')}`
        }
        case 'wifi-sensing.meeting.lifecycle': {
          const { spaceId, phase, count } = fieldsOf(event.kind)
          return `${roomOf(spaceId)}: ${t(phase === 'started' ? 'started' : 'ended')}, ${t('people', { n: count })}`
        }
        default:
          return ''
      }
    },
    [t, building, format, faultText, titleOf, ids],
  )
}
