import type { SpaceNode } from '@storey/sdk'
import { Definitions, spaceTypeName, useLocale, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useValueFormat } from '../live/format-value.ts'

/** The main properties of a room, or with `showsAll` all properties. */
export function RoomDetails({ space, showsAll = false }: { space: SpaceNode; showsAll?: boolean }): ReactNode {
  const t = useTexts(shellTexts)
  const format = useValueFormat()
  const locale = useLocale()
  const { storey } = useBuildingData()
  const items: [string, ReactNode][] = [
    [t('use'), spaceTypeName(space.spaceTypeSlug, locale)],
    [t('status'), t(space.status)],
  ]
  if (space.areaSqm !== null) items.push([t('area'), format.reading(String(space.areaSqm), 'M2')])
  if (space.capacity) items.push([t('capacity'), t('people', { n: space.capacity })])
  if (showsAll) {
    items.push([t('storey'), storey(space.storeyId)?.name ?? ''])
    items.push([t('code'), <code key="code">{space.code}</code>])
    items.push([t('leasable'), space.isLeasable ? t('yes') : t('no')])
    items.push([t('externalIds'), <ExternalIds key="ids" space={space} />])
  }
  return <Definitions items={items} />
}

function ExternalIds({ space }: { space: SpaceNode }): ReactNode {
  return space.externalIds.map(({ sourceSystem, externalId }) => (
    <div key={sourceSystem + externalId}>
      <code>{externalId}</code> <span className="st-quiet">{sourceSystem}</span>
    </div>
  ))
}
