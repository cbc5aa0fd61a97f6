import { SPACE_STATUSES } from '@storey/contract'
import type { SpaceNode } from '@storey/sdk'
import {
  Checkbox,
  type DataColumn,
  DataTable,
  Link,
  setQuery,
  spaceTypeName,
  useLocale,
  useRoute,
  useTexts,
} from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { withUnit } from '../colouring/colour-picker.tsx'
import type { Colouring } from '../colouring/colouring.ts'
import { useChangeCount } from '../colouring/use-change-count.ts'
import { NodeMark } from '../fault-marks/node-mark.tsx'
import { useFaultIndex } from '../fault-marks/use-fault-index.ts'
import { Age } from '../live/age.tsx'
import { squareMetres, useValueFormat } from '../live/format-value.ts'
import { useVisibleText } from '../live/visible-text.ts'
import styles from './storey-plan.module.css'
import { storeyPlanTexts } from './texts.ts'

interface RoomTableProps {
  spaces: readonly SpaceNode[]
  colouring: Colouring | undefined
}

/** The rooms of the plan with their values, as a table. `?rooms=all` shows the rooms of all storeys. */
export default function RoomTable({ spaces, colouring }: RoomTableProps): ReactNode {
  const t = useTexts(storeyPlanTexts)
  const { query } = useRoute()
  const model = useBuildingData()
  const isAll = query.get('rooms') === 'all'
  const rows = useMemo(() => {
    const orderOf = new Map(model.storeys.map(({ id, index }) => [id, index]))
    const order = ({ storeyId }: SpaceNode) => orderOf.get(storeyId) ?? 0
    return (isAll ? model.spaces : spaces).toSorted((a, b) => order(a) - order(b) || (a.code < b.code ? -1 : 1))
  }, [model, isAll, spaces])
  const columns = useRoomColumns(colouring, isAll)
  const name = model.storey(spaces[0]?.storeyId ?? '')?.name ?? ''
  return (
    <div className={styles.table}>
      <DataTable
        name="rooms"
        caption={isAll ? t('allRooms') : t('roomsOf', { storey: name })}
        rows={rows}
        rowKey={({ id }) => id}
        columns={columns}
        search
        fills
        actions={
          <Checkbox
            label={t('allStoreys')}
            checked={isAll}
            onChecked={(checked) => setQuery({ rooms: checked ? 'all' : null, floor: null })}
          />
        }
      />
    </div>
  )
}

function useRoomColumns(colouring: Colouring | undefined, hasStorey: boolean): DataColumn<SpaceNode>[] {
  const t = useTexts(shellTexts)
  const locale = useLocale()
  const format = useValueFormat()
  const model = useBuildingData()
  const faults = useFaultIndex()
  return useMemo(() => {
    const types = [...new Set(model.spaces.map(({ spaceTypeSlug }) => spaceTypeSlug))]
    const columns: DataColumn<SpaceNode>[] = [
      {
        key: 'name',
        title: t('room'),
        isHeader: true,
        value: ({ name }) => name,
        cell: (space) => (
          <span className={styles.value}>
            <Link to={`/rooms/${space.id}`}>{space.name}</Link>
            <NodeMark nodeId={space.id} />
          </span>
        ),
      },
      { key: 'code', title: t('code'), value: ({ code }) => code, cell: ({ code }) => <code>{code}</code> },
      {
        key: 'use',
        title: t('use'),
        filter: 'choice',
        choices: types
          .map((value) => ({ value, label: spaceTypeName(value, locale) }))
          .sort((a, b) => a.label.localeCompare(b.label, locale)),
        value: ({ spaceTypeSlug }) => spaceTypeSlug,
        cell: ({ spaceTypeSlug }) => spaceTypeName(spaceTypeSlug, locale),
      },
      {
        key: 'status',
        title: t('status'),
        isOptional: true,
        filter: 'choice',
        choices: SPACE_STATUSES.map((value) => ({ value, label: t(value) })),
        value: ({ status }) => status,
        cell: ({ status }) => t(status),
      },
      {
        key: 'area',
        title: `${t('area')}, ${squareMetres(locale)}`,
        isNumeric: true,
        filter: 'text',
        value: ({ areaSqm }) => areaSqm,
        cell: ({ areaSqm }) => (areaSqm === null ? '' : format.number(areaSqm, 'M2')),
      },
      { key: 'capacity', title: t('capacity'), isNumeric: true, isOptional: true, value: ({ capacity }) => capacity },
      {
        key: 'faults',
        title: t('activeFaults'),
        isNumeric: true,
        isOptional: true,
        value: ({ id }) => faults.at(id).length,
      },
    ]
    if (hasStorey) {
      columns.splice(1, 0, {
        key: 'floor',
        title: t('storey'),
        filter: 'choice',
        choices: model.storeys.map(({ code, name }) => ({ value: code, label: name })),
        value: ({ storeyId }) => model.storey(storeyId)?.code ?? null,
        cell: ({ storeyId }) => model.storey(storeyId)?.name ?? '',
      })
    }
    if (colouring && colouring.id !== 'type') {
      // The value is the second column, so that it is visible on a small screen too.
      columns.splice(1, 0, {
        key: 'value',
        title: withUnit(colouring.title, colouring.unit),
        isNumeric: true,
        isLive: colouring.watch !== undefined,
        value: (space) => colouring.numberOf?.(space) ?? colouring.textOf(space) ?? null,
        cell: (space) => <Value colouring={colouring} space={space} />,
      })
      columns.push({
        key: 'age',
        title: t('observed'),
        isLive: colouring.watch !== undefined,
        value: (space) => {
          const at = colouring.atOf?.(space)
          return at === undefined ? null : new Date(at).toISOString()
        },
        cell: (space) => <ValueAge colouring={colouring} space={space} />,
      })
    }
    return columns
  }, [t, locale, format, model, faults, colouring, hasStorey])
}

interface ValueProps {
  colouring: Colouring
  space: SpaceNode
}

/**
 * Each cell with a value subscribes to the changes itself, so that a new value neither sorts the table again nor
 * renders other columns.
 */
function Value({ colouring, space }: ValueProps): ReactNode {
  const t = useTexts(shellTexts)
  const visibleText = useVisibleText()
  useChangeCount(colouring)
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

function ValueAge({ colouring, space }: ValueProps): ReactNode {
  useChangeCount(colouring)
  return <Age at={colouring.atOf?.(space)} />
}
