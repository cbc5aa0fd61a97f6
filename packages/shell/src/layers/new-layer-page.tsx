import { Button, ErrorPanel, Page, Panel, useAction, useTexts, useToasts, useUnsavedGuard } from '@storey/web'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useApiAccess } from '../access/api-access.ts'
import { EMPTY_DRAFT, type LayerDraft } from './layer-draft.ts'
import { LayerForm } from './layer-form.tsx'
import { layerKey } from './layer-key.ts'
import styles from './layers.module.css'
import { layerTexts } from './texts.ts'
import { useLayerForm, useRefusals } from './use-layer-form.ts'
import { useLayerList } from './use-layers.ts'
import { WriteAccessNote } from './write-access-note.tsx'

export default function NewLayerPage(): ReactNode {
  const t = useTexts(layerTexts)
  const { api, may } = useApiAccess()
  const toasts = useToasts()
  const taken = new Set(useLayerList().data?.map(({ key }) => key))
  const form = useLayerForm(EMPTY_DRAFT)
  const leaveTo = useUnsavedGuard(form.isDirty)
  const [isKeyTyped, setIsKeyTyped] = useState(false)
  const create = useAction(async () => {
    const body = form.submit()
    if (!body) return
    const { key, valueType } = form.draft
    const layer = await api.layers.create({ ...body, key, valueType })
    toasts.show(t('created', { name: layer.name }))
    leaveTo(`/layers/${layer.id}`)
  })
  const refused = useRefusals(create.error, form.draft)
  const change = (changes: Partial<LayerDraft>) => {
    create.clear()
    if (changes.key !== undefined) setIsKeyTyped(changes.key !== '')
    const follows = changes.name !== undefined && !isKeyTyped
    form.change(
      follows ? { ...changes, key: changes.name!.trim() === '' ? '' : layerKey(changes.name!, taken) } : changes,
    )
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void create.run()
  }
  return (
    <Page title={t('newLayer')} back={{ to: '/layers', label: t('back') }}>
      <Panel>
        {may('building.layers:write') ? (
          <form className={styles.form} onSubmit={submit} noValidate>
            <LayerForm draft={form.draft} problems={form.problems} refused={refused.fields} isNew onChange={change} />
            <ErrorPanel error={refused.rest} />
            <div className="st-row">
              <Button kind="primary" type="submit" label={t('create')} isBusy={create.isBusy} />
            </div>
          </form>
        ) : (
          <WriteAccessNote />
        )}
      </Panel>
    </Page>
  )
}
