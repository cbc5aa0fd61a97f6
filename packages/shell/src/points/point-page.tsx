import type { PointNode } from '@storey/sdk'
import { Definitions, Link, Page, Panel, useLocale, useTitle, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { NotFound } from '../app/not-found.tsx'
import { shellWords } from '../app/words.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { quantityName, unitName } from '../building/catalog-names.ts'
import { PointChart } from '../charts/point-chart.tsx'
import { Age } from '../live/age.tsx'
import { useReading } from '../live/live.tsx'
import type { PageProps } from '../page-props.ts'
import { useValueText } from './live-value.tsx'
import { POINT_TYPE_WORDS } from './point-table.tsx'
import styles from './points.module.css'

/** More letters than a line in large holds. */
const LONG = 60

/** One point: its value now, its history, and where it is. */
export default function PointPage({ params }: PageProps): ReactNode {
  const t = useWords(shellWords)
  const { point } = useBuildingData()
  const found = point(params.id ?? '')
  return found ? <Found point={found} /> : <NotFound title={t('noSuchPoint')} />
}

function Found({ point }: { point: PointNode }): ReactNode {
  const t = useWords(shellWords)
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
          <strong data-point={point.id} data-long={text.length > LONG ? '' : undefined}>
            {text}
          </strong>
          <span className="st-quiet">
            <Age at={reading?.at} />
          </span>
        </p>
      </Panel>
      <PointChart point={point} />
      <Panel title={t('facts')}>
        <Definitions
          items={[
            [t('pointType'), t(POINT_TYPE_WORDS[point.pointType])],
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
