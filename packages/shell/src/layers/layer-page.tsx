import type { DataLayer, LayerValueRecord, LegendEntry } from '@storey/sdk'
import {
  Button,
  ButtonLink,
  ConfirmDialog,
  changeShown,
  Definitions,
  EmptyState,
  ErrorPanel,
  isNotFound,
  LoadingState,
  navigate,
  Page,
  Panel,
  useFormat,
  useTexts,
  useTitle,
  useToasts,
} from '@storey/web'
import { type ReactNode, useMemo, useState } from 'react'
import { useApiAccess } from '../access/api-access.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { useLayerValues } from '../colouring/use-layer-values.ts'
import type { PageProps } from '../page-props.ts'
import { LayerNotFound } from './layer-not-found.tsx'
import { LayerPlan } from './layer-plan.tsx'
import { LayerValues } from './layer-values.tsx'
import styles from './layers.module.css'
import { LegendEditor } from './legend-editor.tsx'
import type { Value } from './read-value.ts'
import { ruleText } from './rule-text.ts'
import { layerTexts } from './texts.ts'
import { useLayerColouring } from './use-layer-colouring.ts'
import { useLayer } from './use-layers.ts'
import { WriteAccessNote } from './write-access-note.tsx'

/** A layer: its plan, its legend and its values. */
export default function LayerPage({ params }: PageProps): ReactNode {
  const t = useTexts(layerTexts)
  const { may } = useApiAccess()
  const { building } = useBuildingData()
  const [isSent, setIsSent] = useState(false)
  const layer = useLayer(params.id ?? '', !isSent)
  const [isDeleting, setIsDeleting] = useState(false)
  useTitle(layer.data?.name ?? t('title'), building.name)
  if (isNotFound(layer.error)) return <LayerNotFound />
  const mayWrite = may('building.layers:write')
  return (
    <Page
      title={layer.data?.name ?? t('title')}
      lead={layer.data?.description ?? undefined}
      wide
      back={{ to: '/layers', label: t('back') }}
      actions={
        layer.data ? (
          <>
            <ButtonLink to={`/plan?colour=layer:${layer.data.key}`} icon="plan" label={t('showOnPlan')} />
            {mayWrite ? (
              <>
                <ButtonLink to={`/layers/${layer.data.id}/edit`} label={t('edit')} />
                <Button kind="danger" icon="trash" label={t('delete')} onClick={() => setIsDeleting(true)} />
                <ButtonLink kind="primary" icon="plus" to={`/layers/${layer.data.id}/upload`} label={t('upload')} />
              </>
            ) : null}
          </>
        ) : null
      }
    >
      <ErrorPanel error={layer.error} onRetry={layer.reload} />
      <WriteAccessNote />
      {layer.data ? (
        <Layer
          key={layer.data.id}
          layer={layer.data}
          mayWrite={mayWrite}
          onChanged={layer.setData}
          onReload={layer.reload}
        />
      ) : layer.error === undefined ? (
        <LoadingState />
      ) : null}
      {isDeleting && layer.data ? (
        <DeleteDialog
          layer={layer.data}
          onSent={setIsSent}
          onOutdated={layer.setData}
          onClose={() => setIsDeleting(false)}
        />
      ) : null}
    </Page>
  )
}

interface LayerProps {
  layer: DataLayer
  mayWrite: boolean
  onChanged(layer: DataLayer): void
  onReload(): void
}

function Layer({ layer, mayWrite, onChanged, onReload }: LayerProps): ReactNode {
  const t = useTexts(layerTexts)
  const values = useLayerValues(layer)
  const failure = <ErrorPanel error={values.error} onRetry={values.reload} />
  if (!values.data) return values.error === undefined ? <LoadingState /> : failure
  const legendAndPlan = <LegendAndPlan layer={layer} values={values.data} mayWrite={mayWrite} onChanged={onChanged} />
  if (values.data.size > 0) {
    return (
      <>
        {failure}
        {legendAndPlan}
        <LayerValues layer={layer} values={values.data} mayWrite={mayWrite} onCleared={onReload} />
      </>
    )
  }
  return (
    <>
      {failure}
      <Panel>
        <EmptyState
          icon="layers"
          title={t('noValues')}
          text={mayWrite ? t('noValuesText') : t('noValuesReadOnly')}
          action={
            mayWrite ? (
              <ButtonLink kind="primary" icon="plus" to={`/layers/${layer.id}/upload`} label={t('upload')} />
            ) : null
          }
        />
      </Panel>
      {legendAndPlan}
    </>
  )
}

interface LegendAndPlanProps extends Omit<LayerProps, 'onReload'> {
  values: ReadonlyMap<string, LayerValueRecord>
}

function LegendAndPlan({ layer, values, mayWrite, onChanged }: LegendAndPlanProps): ReactNode {
  const t = useTexts(layerTexts)
  const format = useFormat()
  const times = useBuildingTimes()
  const [legend, setLegend] = useState<LegendEntry[] | null>(layer.legend)
  const shown = mayWrite ? legend : layer.legend
  const colouring = useLayerColouring(layer, values, shown)
  const all = useMemo(() => Array.from(values.values(), ({ value }) => value as Value), [values])
  return (
    <div className={styles.columns}>
      <Panel title={t(mayWrite ? 'preview' : 'plan')}>
        <LayerPlan colouring={colouring} />
      </Panel>
      <div className={styles.column}>
        {mayWrite ? (
          <Panel title={t('legend')}>
            <LegendEditor layer={layer} values={all} onPreview={setLegend} onSaved={onChanged} />
          </Panel>
        ) : null}
        <Panel title={t('about')}>
          <Definitions
            items={[
              [t('type'), t(layer.valueType)],
              [t('rule'), ruleText(layer, t, format)],
              [t('key'), <code key="key">{layer.key}</code>],
              [t('uploaded'), layer.valuesUpdatedAt === null ? t('never') : times.dateTime(layer.valuesUpdatedAt)],
            ]}
          />
        </Panel>
      </div>
    </div>
  )
}

interface DeleteDialogProps {
  layer: DataLayer
  /** Called with true before the deletion, and with false if it fails. The page must not read a deleted layer. */
  onSent(isSent: boolean): void
  /** Called with the current layer if somebody else has changed it. */
  onOutdated(layer: DataLayer): void
  onClose(): void
}

function DeleteDialog({ layer, onSent, onOutdated, onClose }: DeleteDialogProps): ReactNode {
  const t = useTexts(layerTexts)
  const { api } = useApiAccess()
  const toasts = useToasts()
  const { id, name } = layer
  return (
    <ConfirmDialog
      title={t('deleteTitle', { name })}
      confirmLabel={t('delete')}
      onClose={onClose}
      onConfirm={async () => {
        onSent(true)
        await changeShown(layer, {
          read: () => api.layers.get(id),
          onOutdated,
          send: (options) => api.layers.delete(id, options),
        }).catch((error) => {
          onSent(false)
          throw error
        })
        toasts.show(t('deleted', { name }))
        navigate('/layers')
      }}
    >
      <p>{t('deleteText')}</p>
    </ConfirmDialog>
  )
}
