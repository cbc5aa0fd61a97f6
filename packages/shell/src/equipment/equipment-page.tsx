import { ELEMENT_STATUSES } from '@storey/contract'
import type { ElementNode } from '@storey/sdk'
import { type DataColumn, DataTable, EmptyState, Link, Page, Panel, useLocale, useTexts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { elementTypeName } from '../building/catalog-names.ts'
import { NodeMark } from '../fault-marks/node-mark.tsx'
import { NotAllMarked } from '../fault-marks/not-all-marked.tsx'
import { useFaultIndex } from '../fault-marks/use-fault-index.ts'
import styles from './equipment.module.css'
import { equipmentTexts } from './texts.ts'

/** The register of all equipment of the building. */
export default function EquipmentPage(): ReactNode {
  const t = useTexts(equipmentTexts)
  const { elements } = useBuildingData()
  const columns = useColumns()
  return (
    <Page title={t('title')} wide>
      <NotAllMarked />
      <Panel flush>
        <DataTable
          name="equipment"
          caption={t('title')}
          rows={elements}
          rowKey={({ id }) => id}
          columns={columns}
          search
          empty={<EmptyState icon="equipment" title={t('none')} text={t('noneText')} />}
        />
      </Panel>
    </Page>
  )
}

function useColumns(): DataColumn<ElementNode>[] {
  const t = useTexts(equipmentTexts)
  const locale = useLocale()
  const model = useBuildingData()
  const faults = useFaultIndex()
  return useMemo(() => {
    const types = [...new Set(model.elements.map(({ elementTypeSlug }) => elementTypeSlug))]
      .map((value) => ({ value, label: elementTypeName(value, locale) }))
      .sort((a, b) => a.label.localeCompare(b.label, locale))
    return [
      {
        key: 'name',
        title: t('name'),
        isHeader: true,
        value: ({ name }) => name,
        cell: ({ id, name }) => (
          <span className={styles.name}>
            <Link to={`/elements/${id}`}>{name}</Link>
            <NodeMark nodeId={id} />
          </span>
        ),
      },
      { key: 'code', title: t('code'), value: ({ code }) => code, cell: ({ code }) => <code>{code}</code> },
      {
        key: 'type',
        title: t('type'),
        filter: 'choice',
        choices: types,
        value: ({ elementTypeSlug }) => elementTypeSlug,
        cell: ({ elementTypeSlug }) => elementTypeName(elementTypeSlug, locale),
      },
      {
        key: 'storey',
        title: t('storey'),
        filter: 'choice',
        choices: model.storeys.map(({ code, name }) => ({ value: code, label: name })),
        value: ({ id }) => model.storeyOf(id)?.code ?? null,
        cell: ({ id }) => model.storeyOf(id)?.name ?? '',
      },
      {
        key: 'room',
        title: t('room'),
        filter: 'text',
        value: ({ id }) => model.spaceOf(id)?.name ?? null,
        cell: ({ id }) => {
          const space = model.spaceOf(id)
          return space ? <Link to={`/rooms/${space.id}`}>{space.name}</Link> : null
        },
      },
      {
        key: 'status',
        title: t('status'),
        filter: 'choice',
        choices: ELEMENT_STATUSES.map((value) => ({ value, label: t(value) })),
        value: ({ status }) => status,
        cell: ({ status }) => t(status),
      },
      { key: 'feeds', title: t('feeds'), isNumeric: true, value: ({ serves }) => serves.length },
      { key: 'fedBy', title: t('fedBy'), isNumeric: true, value: ({ id }) => model.feeding(id).length },
      {
        key: 'points',
        title: t('points'),
        isNumeric: true,
        value: ({ id }) => model.pointsOf(id).length,
      },
      { key: 'faults', title: t('faults'), isNumeric: true, value: ({ id }) => faults.at(id).length },
      {
        key: 'externalIds',
        title: t('externalIds'),
        isOptional: true,
        value: ({ externalIds }) => externalIds.map(({ externalId }) => externalId).join(', '),
      },
    ]
  }, [t, locale, model, faults])
}
