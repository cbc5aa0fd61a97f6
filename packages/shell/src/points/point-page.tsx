import type { PointNode } from '@storey/sdk'
import { Definitions, Link, Page, Panel, useLocale, useTexts, useTitle } from '@storey/web'
import type { ReactNode } from 'react'
import { NotFound } from '../app/not-found.tsx'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { quantityName, unitName } from '../building/catalog-names.ts'
import { PointChart } from '../charts/point-chart.tsx'
import { FaultPanel } from '../fault-marks/fault-panel.tsx'
import { Age } from '../live/age.tsx'
import { useReading } from '../live/live.tsx'
import type { PageProps } from '../page-props.ts'
import { useValueText } from './live-value.tsx'
import { POINT_TYPE_TEXTS } from './point-table.tsx'
import styles from './points.module.css'

/** Longer texts are shown in a smaller font. */
const MAX_LARGE_LENGTH = 60

/** A point: its latest value, its chart and its details. */
export default function PointPage({ params }: PageProps): ReactNode {
  const t = useTexts(shellTexts)
  const { point } = useBuildingData()
  const found = point(params.id ?? '')
  return found ? <PointDetails point={found} /> : <NotFound title={t('noSuchPoint')} />
}

function PointDetails({ point }: { point: PointNode }): ReactNode {
  const t = useTexts(shellTexts)
  const { building, element, spaceOf } = useBuildingData()
  const owner = element(point.elementId)
  const space = spaceOf(point.id)
  const reading = useReading(point.id)
  const text = useValueText(point, reading?.value)
  useTitle(point.name, building.name)
  const locale = useLocale()
  return (
    <Page
      wide
      title={point.name}
      back={space ? { to: `/rooms/${space.id}`, label: space.name } : { to: '/', label: building.name }}
      lead={owner?.name}
    >
      <Panel>
        <p className={styles.now}>
          <strong data-point={point.id} data-long={text.length > MAX_LARGE_LENGTH ? '' : undefined}>
            {text}
          </strong>
          <span className="st-quiet">
            <Age at={reading?.at} />
          </span>
        </p>
      </Panel>
      <FaultPanel nodeId={point.id} />
      <PointChart point={point} />
      <Panel title={t('details')}>
        <Definitions
          items={[
            [t('pointType'), t(POINT_TYPE_TEXTS[point.pointType])],
            [t('quantity'), quantityName(point.quantityKind, locale)],
            [t('unit'), unitName(point.unit, locale)],
            [t('code'), <code key="code">{point.code}</code>],
            [
              t('element'),
              owner && (
                <Link key="element" to={`/elements/${owner.id}`}>
                  {owner.name}
                </Link>
              ),
            ],
            [t('source'), reading?.source ?? '–'],
          ]}
        />
      </Panel>
    </Page>
  )
}
