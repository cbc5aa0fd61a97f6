import type { ElementNode } from '@storey/sdk'
import { Definitions, Link, Page, Panel, useLocale, useTexts, useTitle } from '@storey/web'
import type { ReactNode } from 'react'
import { NotFound } from '../app/not-found.tsx'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { elementTypeName } from '../building/catalog-names.ts'
import { SelectedChart } from '../charts/selected-chart.tsx'
import { Feeds } from '../equipment/feeds.tsx'
import { FaultPanel } from '../fault-marks/fault-panel.tsx'
import type { PageProps } from '../page-props.ts'
import { PointTable } from './point-table.tsx'

/** A piece of equipment and its points. */
export default function ElementPage({ params }: PageProps): ReactNode {
  const t = useTexts(shellTexts)
  const { element } = useBuildingData()
  const found = element(params.id ?? '')
  return found ? <ElementDetails element={found} /> : <NotFound title={t('noSuchElement')} />
}

function ElementDetails({ element }: { element: ElementNode }): ReactNode {
  const t = useTexts(shellTexts)
  const locale = useLocale()
  const model = useBuildingData()
  const space = model.spaceOf(element.id)
  const storey = model.storeyOf(element.id)
  const points = model.pointsOf(element.id)
  useTitle(element.name, model.building.name)
  const location = space ? <Link to={`/rooms/${space.id}`}>{space.name}</Link> : (storey?.name ?? model.building.name)
  return (
    <Page
      wide
      title={element.name}
      lead={elementTypeName(element.elementTypeSlug, locale)}
      back={space ? { to: `/rooms/${space.id}`, label: space.name } : { to: '/equipment', label: t('equipment') }}
    >
      <FaultPanel nodeId={element.id} />
      <Panel title={t('details')}>
        <Definitions
          items={[
            [t('code'), <code key="code">{element.code}</code>],
            [t('status'), t(element.status)],
            [t('place'), location],
            [t('externalIds'), element.externalIds.map(({ externalId }) => externalId).join(', ') || '–'],
          ]}
        />
      </Panel>
      {points.length > 0 ? (
        <Panel title={t('points')} flush>
          <PointTable caption={`${element.name}: ${t('points')}`} points={points} />
        </Panel>
      ) : null}
      <SelectedChart key={element.id} points={points} />
      <Feeds element={element} />
    </Page>
  )
}
