import { Button, type Column, Link, type Locale, nodeName, Table, useLocale, useTexts } from '@storey/web'
import { type ReactNode, useMemo, useState } from 'react'
import { ChangeBadge } from './change-badge.tsx'
import type { Change } from './changes.ts'
import type { PlanGraph } from './graph-at.ts'
import styles from './history.module.css'
import { byKindAndName, changedFields, MARK_OF, mainFields, nameOf } from './node-changes.ts'
import { historyTexts } from './texts.ts'
import { useFieldText } from './use-field-text.ts'

const PAGE_SIZE = 50

interface ChangesTableProps {
  changes: readonly Change[]
  graph: PlanGraph
  caption: string
}

/**
 * The changes as a table: the old and the new values of the changed fields, or the main fields of a created or deleted
 * node.
 */
export function ChangesTable({ changes, graph, caption }: ChangesTableProps): ReactNode {
  const t = useTexts(historyTexts)
  const locale = useLocale()
  const [shown, setShown] = useState(PAGE_SIZE)
  const names = useMemo(() => namesOf(changes, graph, locale), [changes, graph, locale])
  const rows = useMemo(() => changes.toSorted(byKindAndName), [changes])
  const { fieldName, fieldText } = useFieldText(names)

  const columns: Column<Change>[] = [
    {
      key: 'change',
      title: t('change'),
      cell: ({ op }) => <ChangeBadge mark={MARK_OF[op]} />,
    },
    {
      key: 'node',
      title: t('node'),
      isHeader: true,
      cell: (change) => {
        const name = nodeName(change.kind, nameOf(change), locale)
        const code = (change.after ?? change.before)?.code
        return (
          <span className={styles.node}>
            {change.kind === 'space' && change.after && change.op !== 'create' ? (
              <Link to={`/rooms/${change.nodeId}`}>{name}</Link>
            ) : (
              name
            )}
            <span className="st-quiet">{[t(change.kind), code].filter(Boolean).join(' · ')}</span>
          </span>
        )
      },
    },
    {
      key: 'details',
      title: t('details'),
      cell: (change) => {
        const fields = changedFields(change)
        if (fields.length === 0) {
          return (
            <ul className={styles.fields}>
              {mainFields(change).map(({ field, value }) => (
                <li key={field}>
                  <span className="st-quiet">{fieldName(field)}</span>
                  {fieldText(field, value)}
                </li>
              ))}
            </ul>
          )
        }
        return (
          <ul className={styles.fields}>
            {fields.map(({ field, before, after }) => (
              <li key={field}>
                <span className="st-quiet">{fieldName(field)}</span>
                <del>{fieldText(field, before)}</del>
                <span aria-hidden="true">→</span>
                <ins>{fieldText(field, after)}</ins>
              </li>
            ))}
          </ul>
        )
      },
    },
  ]
  return (
    <>
      <Table caption={caption} columns={columns} rows={rows.slice(0, shown)} rowKey={({ nodeId }) => nodeId} />
      {changes.length > shown ? (
        <div className={styles.more}>
          <span className="st-quiet">{t('moreChanges', { n: changes.length - shown })}</span>
          <Button small label={t('showMore')} onClick={() => setShown(shown + 10 * PAGE_SIZE)} />
        </div>
      ) : null}
    </>
  )
}

/** Names for the node ids in field values. */
function namesOf(changes: readonly Change[], graph: PlanGraph, locale: Locale): Map<string, string> {
  const names = new Map<string, string>()
  const add = (kind: Change['kind'], nodes: readonly { id: string; name: string }[]) => {
    for (const { id, name } of nodes) names.set(id, nodeName(kind, name, locale))
  }
  add('storey', graph.storeys)
  add('space', graph.spaces)
  add('element', graph.elements)
  for (const change of changes) {
    if (!names.has(change.nodeId)) add(change.kind, [{ id: change.nodeId, name: nameOf(change) }])
  }
  return names
}
