import { LIMITS } from '@storey/contract'
import { type DataLayer, type LayerValueRecord, StoreyError } from '@storey/sdk'
import {
  Button,
  Checkbox,
  EmptyState,
  ErrorPanel,
  Note,
  Panel,
  useAction,
  useFormat,
  useLocale,
  useTexts,
  useToasts,
  useUnsavedGuard,
} from '@storey/web'
import { type ReactNode, useMemo, useState } from 'react'
import { useApiAccess } from '../access/api-access.ts'
import { useBuildingData } from '../building/building-data.tsx'
import type { NodeKey } from '../table-input/find-nodes.ts'
import { LayerPlan } from './layer-plan.tsx'
import styles from './layers.module.css'
import type { PreparedUpload } from './prepare-upload.ts'
import { refusedValue } from './refused-value.ts'
import { SkippedRows } from './skipped-rows.tsx'
import { uploadTexts } from './upload-texts.ts'
import { useLayerColouring } from './use-layer-colouring.ts'

interface UploadReportProps {
  layer: DataLayer
  known: ReadonlyMap<string, LayerValueRecord>
  prepared: PreparedUpload
  matchBy: NodeKey
}

/** What an upload will do, and the button that starts it. */
export function UploadReport({ layer, known, prepared, matchBy }: UploadReportProps): ReactNode {
  const t = useTexts(uploadTexts)
  const format = useFormat()
  const { api } = useApiAccess()
  const { spaces } = useBuildingData()
  const toasts = useToasts()
  const [isReplaced, setIsReplaced] = useState(false)
  const { values, skipped, added, changed, unchanged } = prepared
  const others = [...known.keys()].filter((id) => !values.has(id)).length
  const leaveTo = useUnsavedGuard(values.size > 0)
  const write = useAction(async () => {
    const body = Object.fromEntries(Array.from(values, ([id, { value }]) => [id, value]))
    const { written } = await api.layers.upload(layer.id, { keyBy: 'id', replace: isReplaced, values: body })
    toasts.show(t('written', { n: written }))
    leaveTo(`/layers/${layer.id}`)
  })
  const isEmpty = values.size === 0
  const hasMatch = !isEmpty || skipped.some(({ room }) => room !== undefined)
  const counts: [string, number][] = [
    [t('added'), added],
    [t('changed'), changed],
    [t('unchanged'), unchanged],
    ...(isReplaced ? [[t('removed'), others] as [string, number]] : []),
    [t('notWritten'), skipped.length],
  ]
  return (
    <>
      <Panel title={t('report')} lead={t('nothingYet')}>
        <div className="st-stack">
          {hasMatch ? (
            <dl className={styles.counts}>
              {counts.map(([name, n]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{format.number(n)}</dd>
                </div>
              ))}
            </dl>
          ) : (
            <EmptyState
              icon="search"
              title={t('noMatch')}
              text={t('noMatchText', { code: exampleOf(spaces[0], matchBy) })}
              level={3}
            />
          )}
          {hasMatch && isEmpty ? <Note tone="warn">{t('allLeftOut')}</Note> : null}
          {others > 0 && !isEmpty ? (
            <Checkbox
              label={t('replace')}
              hint={t('replaceHint', { n: others })}
              checked={isReplaced}
              onChecked={setIsReplaced}
            />
          ) : null}
          <Refusal error={write.error} prepared={prepared} />
          {isEmpty ? null : (
            <div className="st-row">
              <Button
                kind="primary"
                label={t('write', { n: values.size })}
                isBusy={write.isBusy}
                disabled={values.size > LIMITS.layer.identifiers}
                onClick={() => void write.run()}
              />
            </div>
          )}
        </div>
      </Panel>
      {skipped.length > 0 ? <SkippedRows layer={layer} skipped={skipped} matchBy={matchBy} /> : null}
      {isEmpty ? null : <Preview layer={layer} known={isReplaced ? NONE : known} prepared={prepared} />}
    </>
  )
}

const NONE: ReadonlyMap<string, LayerValueRecord> = new Map()

const exampleOf = (
  room: { id: string; code: string; externalIds: readonly { externalId: string }[] } | undefined,
  matchBy: NodeKey,
): string => (matchBy === 'externalId' ? room?.externalIds[0]?.externalId : room?.[matchBy]) ?? room?.code ?? '—'

/** A refused value is shown with its row, because the API names only the room. */
function Refusal({ error, prepared }: { error: unknown; prepared: PreparedUpload }): ReactNode {
  const t = useTexts(uploadTexts)
  const locale = useLocale()
  const key = error instanceof StoreyError ? error.problem.key : undefined
  const row = typeof key === 'string' ? prepared.values.get(key) : undefined
  if (!row || !(error instanceof StoreyError)) return <ErrorPanel error={error} />
  return (
    <Note tone="bad">
      <p>
        <strong>{t('refusedRow', { n: row.number })}</strong>
      </p>
      <p>{t('refusedText', { detail: refusedValue(error.problem, locale) })}</p>
    </Note>
  )
}

/** The plan as it will be after the upload. */
function Preview({ layer, known, prepared }: Pick<UploadReportProps, 'layer' | 'known' | 'prepared'>): ReactNode {
  const t = useTexts(uploadTexts)
  const values = useMemo(() => {
    const updatedAt = new Date().toISOString()
    const next = Array.from(
      prepared.values,
      ([entityId, { value }]) => [entityId, { entityId, externalId: null, value, updatedAt }] as const,
    )
    return new Map([...known, ...next])
  }, [known, prepared])
  const colouring = useLayerColouring(layer, values)
  return (
    <Panel title={t('preview')}>
      <LayerPlan colouring={colouring} />
    </Panel>
  )
}
