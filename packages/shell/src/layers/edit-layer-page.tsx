import { LIMITS } from '@storey/contract'
import { type DataLayer, StoreyError } from '@storey/sdk'
import {
  Button,
  ButtonLink,
  ErrorPanel,
  ifUnchanged,
  isNotFound,
  LoadingState,
  Note,
  Page,
  Panel,
  useAction,
  useLocale,
  useTexts,
  useTitle,
  useToasts,
  useUnsavedGuard,
} from '@storey/web'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useApiAccess } from '../access/api-access.ts'
import { useBuildingData } from '../building/building-data.tsx'
import type { PageProps } from '../page-props.ts'
import { draftOfLayer } from './layer-draft.ts'
import { LayerForm } from './layer-form.tsx'
import { LayerNotFound } from './layer-not-found.tsx'
import styles from './layers.module.css'
import { layerTexts } from './texts.ts'
import { useLayerForm, useRefusals } from './use-layer-form.ts'
import { useLayer } from './use-layers.ts'
import { WriteAccessNote } from './write-access-note.tsx'

/** Changes the name, the description, the unit and the rule of a layer. */
export default function EditLayerPage({ params }: PageProps): ReactNode {
  const t = useTexts(layerTexts)
  const { may } = useApiAccess()
  const { building } = useBuildingData()
  const id = params.id ?? ''
  const layer = useLayer(id)
  useTitle(t('editTitle'), building.name)
  if (isNotFound(layer.error)) return <LayerNotFound />
  return (
    <Page title={t('editTitle')} back={{ to: `/layers/${id}`, label: layer.data?.name ?? t('back') }}>
      <ErrorPanel error={layer.error} onRetry={layer.reload} />
      <Panel>
        {!may('building.layers:write') ? (
          <WriteAccessNote />
        ) : layer.data ? (
          <EditForm key={id} layer={layer.data} />
        ) : layer.error === undefined ? (
          <LoadingState />
        ) : null}
      </Panel>
    </Page>
  )
}

function EditForm({ layer }: { layer: DataLayer }): ReactNode {
  const t = useTexts(layerTexts)
  const { api } = useApiAccess()
  const toasts = useToasts()
  const decimalMark = useLocale() === 'ru' ? ',' : '.'
  // The form keeps what was read first. If somebody else changes the layer, saving is refused with a message.
  const [opened] = useState(layer)
  const form = useLayerForm(draftOfLayer(opened, decimalMark), opened.metadata)
  const leaveTo = useUnsavedGuard(form.isDirty)
  const save = useAction(async () => {
    const body = form.submit()
    if (!body) return
    await api.layers.update(opened.id, body, ifUnchanged(opened))
    toasts.show(t('saved'))
    leaveTo(`/layers/${opened.id}`)
  })
  const refused = useRefusals(save.error, form.draft)
  const rooms = roomsInConflict(save.error)
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        void save.run()
      }}
    >
      <LayerForm
        draft={form.draft}
        problems={form.problems}
        refused={refused.fields}
        isNew={false}
        onChange={(changes) => {
          save.clear()
          form.change(changes)
        }}
      />
      {rooms.length > 0 ? <RoomsInConflict ids={rooms} /> : <ErrorPanel error={refused.rest} />}
      <div className="st-row">
        <Button kind="primary" type="submit" label={t('save')} isBusy={save.isBusy} />
        <ButtonLink to={`/layers/${opened.id}`} label={t('cancel')} />
      </div>
    </form>
  )
}

/** The first rooms whose values do not match a new rule: the API lists at most `LIMITS.layer.roomsInConflict`. */
function roomsInConflict(error: unknown): string[] {
  if (!(error instanceof StoreyError) || error.code !== 'CONFLICT') return []
  const { roomIds } = error.problem
  return Array.isArray(roomIds) ? roomIds.map(String) : []
}

function RoomsInConflict({ ids }: { ids: readonly string[] }): ReactNode {
  const t = useTexts(layerTexts)
  const { space } = useBuildingData()
  return (
    <Note tone="bad">
      <p>{t(ids.length < LIMITS.layer.roomsInConflict ? 'ruleConflict' : 'ruleConflictMore')}</p>
      <ul>
        {ids.map((id) => (
          <li key={id}>{space(id) ? `${space(id)!.name} · ${space(id)!.code}` : id}</li>
        ))}
      </ul>
    </Note>
  )
}
