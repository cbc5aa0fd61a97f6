import type { ElementNode } from '@storey/sdk'
import { type DataColumn, DataTable, Link, Panel, spaceTypeName, useLocale, useTexts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { elementTypeName } from '../building/catalog-names.ts'
import { NodeMark } from '../fault-marks/node-mark.tsx'
import styles from './equipment.module.css'
import { equipmentTexts } from './texts.ts'

interface FeedRow {
  id: string
  name: string
  code: string
  kind: string
  place: string
  to: string
}

/** What an element feeds, and what feeds it. */
export function Feeds({ element }: { element: ElementNode }): ReactNode {
  const t = useTexts(equipmentTexts)
  const model = useBuildingData()
  const describe = useDescribe()
  const feeds = useMemo(() => sortedByName(element.serves.flatMap((id) => describe(id) ?? [])), [element, describe])
  const fedBy = useMemo(
    () => sortedByName(model.feeding(element.id).flatMap(({ id }) => describe(id) ?? [])),
    [model, element, describe],
  )
  return (
    <div className={styles.feeds}>
      <FedPanel title={t('feeds')} name="feeds" rows={feeds} none={t('feedsNothing')} />
      <FedPanel title={t('fedBy')} name="fed-by" rows={fedBy} none={t('fedByNothing')} />
    </div>
  )
}

const sortedByName = (rows: readonly FeedRow[]) =>
  rows.toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))

function useDescribe(): (id: string) => FeedRow | undefined {
  const locale = useLocale()
  const model = useBuildingData()
  return useMemo(
    () => (id) => {
      const storey = model.storeyOf(id)?.name ?? model.building.name
      const space = model.space(id)
      if (space) {
        const kind = spaceTypeName(space.spaceTypeSlug, locale)
        return { id, name: space.name, code: space.code, kind, place: storey, to: `/rooms/${id}` }
      }
      const element = model.element(id)
      if (!element) return undefined
      const room = model.spaceOf(id)?.name
      const place = room === undefined ? storey : `${room} · ${storey}`
      const kind = elementTypeName(element.elementTypeSlug, locale)
      return { id, name: element.name, code: element.code, kind, place, to: `/elements/${id}` }
    },
    [locale, model],
  )
}

/** A table with more rows has a search field. */
const MAX_SHORT_ROWS = 12

interface FedPanelProps {
  title: string
  /** The name of the table. Followed by a dot, it is the prefix of the table's query parameters in the URL. */
  name: string
  rows: readonly FeedRow[]
  none: string
}

function FedPanel({ title, name, rows, none }: FedPanelProps): ReactNode {
  const t = useTexts(equipmentTexts)
  const columns = useMemo(
    (): DataColumn<FeedRow>[] => [
      {
        key: 'name',
        title: t('name'),
        isHeader: true,
        value: (fed) => fed.name,
        cell: (fed) => (
          <span className={styles.name}>
            <Link to={fed.to}>{fed.name}</Link>
            <NodeMark nodeId={fed.id} />
          </span>
        ),
      },
      { key: 'kind', title: t('kind'), value: ({ kind }) => kind },
      { key: 'place', title: t('place'), value: ({ place }) => place },
      { key: 'code', title: t('code'), isOptional: true, value: ({ code }) => code },
    ],
    [t],
  )
  return (
    <Panel title={`${title} (${rows.length})`} flush={rows.length > 0}>
      <DataTable
        name={name}
        caption={title}
        rows={rows}
        rowKey={({ id }) => id}
        columns={columns}
        addressPrefix={`${name}.`}
        hasToolbar={rows.length > MAX_SHORT_ROWS}
        search
        empty={<p className="st-quiet">{none}</p>}
      />
    </Panel>
  )
}
