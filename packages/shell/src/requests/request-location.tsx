import type { RequestRecord } from '@storey/sdk'
import { Link, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { requestTexts } from './texts.ts'

/** The location of a request: equipment, room, storey or building. */
export function RequestLocation({ request }: { request: RequestRecord }): ReactNode {
  const t = useTexts(requestTexts)
  const building = useBuildingData()
  const element = request.elementId === null ? undefined : building.element(request.elementId)
  const room = building.space(request.spaceId ?? '') ?? (element && building.spaceOf(element.id))
  const storey = building.storey(request.storeyId ?? room?.storeyId ?? element?.storeyId ?? '')
  const parts = [
    element ? (
      <Link key="element" to={`/elements/${element.id}`}>
        {element.name}
      </Link>
    ) : null,
    room ? (
      <Link key="room" to={`/rooms/${room.id}`}>
        {room.name}
      </Link>
    ) : null,
    storey && !room ? <span key="storey">{storey.name}</span> : null,
  ].filter((part) => part !== null)
  if (parts.length === 0) return <span className="st-quiet">{t('wholeBuilding')}</span>
  return <span>{parts.flatMap((part, n) => (n === 0 ? [part] : [', ', part]))}</span>
}
