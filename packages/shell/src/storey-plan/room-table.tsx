import type { SpaceNode } from '@storey/sdk'
import { type Column, Link, Table, useLocale, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { spaceTypeName } from '../building/space-types.ts'
import { withUnit } from '../colouring/colour-picker.tsx'
import type { Colouring } from '../colouring/colouring.ts'
import { useChangeCount } from '../colouring/use-change-count.ts'
import { NodeMark } from '../fault-marks/node-mark.tsx'
import { Age } from '../live/age.tsx'
import { squareMetres, useValueFormat } from '../live/format-value.ts'
import { useVisibleText } from '../live/visible-text.ts'
import styles from './storey-plan.module.css'

interface RoomTableProps {
  spaces: readonly SpaceNode[]
  colouring: Colouring | undefined
}

/** The rooms of the plan with their values, as a table. */
export function RoomTable({ spaces, colouring }: RoomTableProps): ReactNode {
  const t = useTexts(shellTexts)
  const locale = useLocale()
  const format = useValueFormat()
  const { storey } = useBuildingData()
  useChangeCount(colouring)
  const isType = colouring?.id === 'type'
  const columns: Column<SpaceNode>[] = [
    {
      key: 'name',
      title: t('room'),
      isHeader: true,
      cell: (space) => (
        <span className={styles.value}>
          <Link to={`/rooms/${space.id}`}>{space.name}</Link>
          <NodeMark nodeId={space.id} />
        </span>
      ),
    },
    { key: 'code', title: t('code'), cell: (space) => <code>{space.code}</code> },
    { key: 'use', title: t('use'), cell: (space) => spaceTypeName(space.spaceTypeSlug, locale) },
    {
      key: 'area',
      title: `${t('area')}, ${squareMetres(locale)}`,
      isNumeric: true,
      cell: ({ areaSqm }) => (areaSqm === null ? '' : format.number(areaSqm, 'M2')),
    },
  ]
  if (colouring && !isType) {
    // The value is the second column, so that it is visible on a small screen too.
    columns.splice(1, 0, {
      key: 'value',
      title: withUnit(colouring.title, colouring.unit),
      isNumeric: true,
      cell: (space) => <Value colouring={colouring} space={space} />,
    })
    columns.push({ key: 'age', title: t('observed'), cell: (space) => <Age at={colouring.atOf?.(space)} /> })
  }
  const rows = spaces.toSorted((a, b) => (a.code < b.code ? -1 : 1))
  const name = storey(spaces[0]?.storeyId ?? '')?.name ?? ''
  return (
    <div className={styles.table}>
      <Table caption={t('planOf', { storey: name })} columns={columns} rows={rows} rowKey={({ id }) => id} />
    </div>
  )
}

function Value({ colouring, space }: { colouring: Colouring; space: SpaceNode }): ReactNode {
  const t = useTexts(shellTexts)
  const visibleText = useVisibleText()
  const text = colouring.textOf(space)
  if (text === undefined) return <span className="st-quiet">{t('noValue')}</span>
  const shade = colouring.shadeOf(space)
  return (
    <span className={styles.value}>
      {shade ? <span className={styles.dot} style={{ background: shade.color }} /> : null}
      <span className={styles.text}>{visibleText(text)}</span>
    </span>
  )
}
