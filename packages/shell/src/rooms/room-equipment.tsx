import type { ElementNode, PointNode, SpaceNode } from '@storey/sdk'
import { type DataColumn, DataTable, EmptyState, Link, Panel, useTexts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { MAX_SHORT_ROWS, usePointColumns } from '../points/point-table.tsx'
import styles from './rooms.module.css'

interface Row {
  element: ElementNode
  point: PointNode | undefined
}

/** The equipment in a room, with the points of that equipment, and the equipment elsewhere that serves the room. */
export function RoomEquipment({ space }: { space: SpaceNode }): ReactNode {
  const t = useTexts(shellTexts)
  const model = useBuildingData()
  const rows = useMemo(
    () =>
      model.elementsOf(space.id).flatMap((element): Row[] => {
        const points = model.pointsOf(element.id)
        return points.length === 0 ? [{ element, point: undefined }] : points.map((point) => ({ element, point }))
      }),
    [model, space],
  )
  const serving = model.serving(space.id)
  const pointColumns = usePointColumns()
  const columns = useMemo(
    (): DataColumn<Row>[] => [
      {
        key: 'element',
        title: t('equipment'),
        value: ({ element }) => element.name,
        cell: ({ element }) => <Link to={`/elements/${element.id}`}>{element.name}</Link>,
      },
      ...pointColumns.map(({ value, cell, ...column }) => ({
        ...column,
        value: ({ point }: Row) => (point ? value(point) : null),
        ...(cell ? { cell: ({ point }: Row) => (point ? cell(point) : '') } : {}),
      })),
    ],
    [t, pointColumns],
  )
  return (
    <>
      <Panel title={t('equipment')} flush={rows.length > 0}>
        <DataTable
          name="room-points"
          hasToolbar={rows.length > MAX_SHORT_ROWS}
          search
          caption={t('equipment')}
          columns={columns}
          rows={rows}
          rowKey={({ element, point }) => point?.id ?? element.id}
          empty={<EmptyState level={3} title={t('noEquipment')} />}
        />
      </Panel>
      {serving.length > 0 ? (
        <Panel title={t('servedBy')}>
          <ul className={styles.serving}>
            {serving.map(({ id, name, code }) => (
              <li key={id}>
                <Link to={`/elements/${id}`}>{name}</Link> <code className="st-quiet">{code}</code>
              </li>
            ))}
          </ul>
        </Panel>
      ) : null}
    </>
  )
}
