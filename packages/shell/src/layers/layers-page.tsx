import type { DataLayer } from '@storey/sdk'
import {
  ButtonLink,
  type DataColumn,
  DataTable,
  EmptyState,
  ErrorPanel,
  Link,
  LoadingState,
  Page,
  Panel,
  useTexts,
} from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { useApiAccess } from '../access/api-access.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { VALUE_TYPES } from './layer-draft.ts'
import styles from './layers.module.css'
import { layerTexts } from './texts.ts'
import { useLayerList } from './use-layers.ts'
import { WriteAccessNote } from './write-access-note.tsx'

/** The data layers of the building. */
export default function LayersPage(): ReactNode {
  const t = useTexts(layerTexts)
  const { may } = useApiAccess()
  const layers = useLayerList()
  const mayWrite = may('building.layers:write')
  const create = mayWrite ? <ButtonLink kind="primary" icon="plus" to="/layers/new" label={t('newLayer')} /> : null
  const isEmpty = layers.data?.length === 0
  return (
    <Page title={t('title')} lead={t('lead')} wide actions={isEmpty ? null : create}>
      <ErrorPanel error={layers.error} onRetry={layers.reload} />
      <WriteAccessNote />
      {layers.data ? (
        <Panel flush>
          {isEmpty ? (
            <EmptyState
              icon="layers"
              title={t('none')}
              text={mayWrite ? t('noneText') : t('noneReadOnly')}
              action={create}
            />
          ) : (
            <LayerTable layers={layers.data} />
          )}
        </Panel>
      ) : layers.error === undefined ? (
        <LoadingState />
      ) : null}
    </Page>
  )
}

function LayerTable({ layers }: { layers: readonly DataLayer[] }): ReactNode {
  const t = useTexts(layerTexts)
  const times = useBuildingTimes()
  const { spaces } = useBuildingData()
  const columns = useMemo<DataColumn<DataLayer>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        isHeader: true,
        value: ({ name }) => name,
        cell: ({ id, name, key }) => (
          <span className={styles.name}>
            <Link to={`/layers/${id}`}>{name}</Link>
            <code className="st-quiet">{key}</code>
          </span>
        ),
      },
      {
        key: 'type',
        title: t('type'),
        value: ({ valueType }) => valueType,
        filter: 'choice',
        choices: VALUE_TYPES.map((value) => ({ value, label: t(value) })),
        cell: ({ valueType }) => t(valueType),
      },
      {
        key: 'rooms',
        title: t('rooms'),
        isNumeric: true,
        value: ({ valueCount }) => valueCount,
        cell: ({ valueCount }) => t('roomsOf', { n: valueCount, all: spaces.length }),
      },
      {
        key: 'legend',
        title: t('legend'),
        value: ({ legend }) => (legend?.length ? t('own') : t('automatic')),
        cell: ({ legend }) => (legend?.length ? <Swatches legend={legend} /> : t('automatic')),
      },
      {
        key: 'uploaded',
        title: t('uploaded'),
        value: ({ valuesUpdatedAt }) => valuesUpdatedAt,
        cell: ({ valuesUpdatedAt }) => (valuesUpdatedAt === null ? t('never') : times.dateTime(valuesUpdatedAt)),
      },
      {
        key: 'actions',
        title: t('showOnPlan'),
        hideTitle: true,
        value: () => null,
        cell: ({ key }) => <ButtonLink small to={`/plan?colour=layer:${key}`} label={t('showOnPlan')} />,
      },
    ],
    [t, times, spaces.length],
  )
  return <DataTable name="layers" caption={t('title')} columns={columns} rows={layers} rowKey={({ id }) => id} search />
}

const MAX_SWATCHES = 8

function Swatches({ legend }: { legend: NonNullable<DataLayer['legend']> }): ReactNode {
  const t = useTexts(layerTexts)
  return (
    <span className={styles.swatches}>
      {legend.slice(0, MAX_SWATCHES).map(({ label, color }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two entries may have the same label and colour
        <span key={i} title={label} style={{ background: color }} />
      ))}
      {t('own')}
    </span>
  )
}
