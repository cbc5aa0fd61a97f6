import type { DataLayer, LayerValueRecord } from '@storey/sdk'
import { Button, ConfirmDialog, type DataColumn, DataTable, Link, Panel, useTexts, useToasts } from '@storey/web'
import { type ReactNode, useMemo, useState } from 'react'
import { useApiAccess } from '../access/api-access.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { withUnit } from '../colouring/colour-picker.tsx'
import { useVisibleText } from '../live/visible-text.ts'
import { unitOf } from './layer-draft.ts'
import styles from './layers.module.css'
import { layerTexts } from './texts.ts'
import { useLayerColouring } from './use-layer-colouring.ts'

interface LayerValuesProps {
  layer: DataLayer
  values: ReadonlyMap<string, LayerValueRecord>
  mayWrite: boolean
  onCleared(): void
}

/** The values of a layer as a table. */
export function LayerValues({ layer, values, mayWrite, onCleared }: LayerValuesProps): ReactNode {
  const t = useTexts(layerTexts)
  const times = useBuildingTimes()
  const visibleText = useVisibleText()
  const { space, storey, storeys } = useBuildingData()
  const [isClearing, setIsClearing] = useState(false)
  const colouring = useLayerColouring(layer, values)
  const rows = useMemo(() => {
    const codeOf = ({ entityId }: LayerValueRecord) => space(entityId)?.code ?? ''
    return [...values.values()].sort((a, b) => codeOf(a).localeCompare(codeOf(b), undefined, { numeric: true }))
  }, [values, space])
  const columns = useMemo<DataColumn<LayerValueRecord>[]>(() => {
    const nameOf = ({ entityId }: LayerValueRecord) => space(entityId)?.name ?? t('deletedRoom')
    const textOf = ({ entityId, value }: LayerValueRecord) => {
      const room = space(entityId)
      return (room && colouring.textOf(room)) ?? String(value)
    }
    return [
      {
        key: 'room',
        title: t('room'),
        isHeader: true,
        value: nameOf,
        cell: (row) => (space(row.entityId) ? <Link to={`/rooms/${row.entityId}`}>{nameOf(row)}</Link> : nameOf(row)),
      },
      {
        key: 'code',
        title: t('code'),
        value: ({ entityId }) => space(entityId)?.code ?? null,
        cell: ({ entityId }) => <code>{space(entityId)?.code}</code>,
      },
      {
        key: 'storey',
        title: t('storey'),
        value: ({ entityId }) => storey(space(entityId)?.storeyId ?? '')?.name ?? null,
        filter: 'choice',
        choices: storeys.map(({ name }) => ({ value: name, label: name })),
      },
      {
        key: 'value',
        title: withUnit(t('value'), unitOf(layer)),
        isNumeric: layer.valueType === 'NUMBER',
        value: (row) => (typeof row.value === 'number' ? row.value : textOf(row)),
        filter: layer.valueType === 'NUMBER' || layer.valueType === 'STRING' ? undefined : 'choice',
        cell: (row) => {
          const room = space(row.entityId)
          const color = room && colouring.shadeOf(room)?.color
          return (
            <span className={styles.value}>
              {color ? <span className={styles.dot} style={{ background: color }} /> : null}
              {visibleText(textOf(row))}
            </span>
          )
        },
      },
      {
        key: 'updated',
        title: t('updated'),
        value: ({ updatedAt }) => updatedAt,
        cell: ({ updatedAt }) => times.dateTime(updatedAt),
      },
    ]
  }, [t, times, visibleText, space, storey, storeys, layer, colouring])
  return (
    <Panel
      title={t('values')}
      flush
      actions={mayWrite ? <Button small icon="trash" label={t('clear')} onClick={() => setIsClearing(true)} /> : null}
    >
      <DataTable
        name={layer.key}
        caption={t('values')}
        columns={columns}
        rows={rows}
        rowKey={({ entityId }) => entityId}
        search
      />
      {isClearing ? (
        <ClearDialog layer={layer} count={rows.length} onCleared={onCleared} onClose={() => setIsClearing(false)} />
      ) : null}
    </Panel>
  )
}

function ClearDialog(props: { layer: DataLayer; count: number; onCleared(): void; onClose(): void }): ReactNode {
  const { layer, count, onCleared, onClose } = props
  const t = useTexts(layerTexts)
  const { api } = useApiAccess()
  const toasts = useToasts()
  return (
    <ConfirmDialog
      title={t('clearTitle', { name: layer.name })}
      confirmLabel={t('clear')}
      onClose={onClose}
      onConfirm={async () => {
        const { deleted } = await api.layers.upload(layer.id, { replace: true, values: {} })
        toasts.show(t('cleared', { n: deleted }))
        onCleared()
        onClose()
      }}
    >
      <p>{t('clearText', { n: count })}</p>
    </ConfirmDialog>
  )
}
