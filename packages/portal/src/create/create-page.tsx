import { fieldErrors, Note, Page, Panel, useAction, useTexts, useUnsavedGuard } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { usePortal } from '../app/api.tsx'
import { usePageTitle } from '../app/page-title.ts'
import { BuildingPreview } from '../preview/building-preview.tsx'
import { usePreview } from '../preview/use-preview.ts'
import { activeOf, useSandboxes } from '../sandboxes/use-sandboxes.ts'
import {
  buildingParametersOf,
  type CreateFields,
  initialFields,
  newSeed,
  requestOf,
  validateFields,
} from './create-fields.ts'
import { CreateForm } from './create-form.tsx'
import { createTexts } from './create-texts.ts'
import './create.css'

/** Fields that do not affect the building: the preview works even if they are invalid. */
const NON_BUILDING_FIELDS: readonly string[] = ['name', 'ttlDays', 'seedTelemetryDays']

export function CreatePage(): ReactNode {
  const t = useTexts(createTexts)
  usePageTitle(t('title'))
  const { api } = usePortal()
  const [original] = useState<CreateFields>(() => initialFields(newSeed()))
  const [fields, setFields] = useState(original)
  const leaveTo = useUnsavedGuard(JSON.stringify(fields) !== JSON.stringify(original))
  // A second submit of unchanged fields has the same key, so it creates no second sandbox.
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID())
  const errors = validateFields(fields)
  const canPreview = Object.keys(errors).every((field) => NON_BUILDING_FIELDS.includes(field))
  const preview = usePreview(canPreview ? buildingParametersOf(fields) : undefined)
  const create = useAction(async () => {
    const record = await api.sandboxes.create(requestOf(fields), { idempotencyKey })
    leaveTo(`/sandboxes/${record.sandboxId}`)
  })
  const change = (changes: Partial<CreateFields>) => {
    setFields((before) => ({ ...before, ...changes }))
    setIdempotencyKey(crypto.randomUUID())
    create.clear()
  }
  return (
    <Page title={t('title')} lead={t('lead')} back={{ to: '/', label: t('back') }} wide>
      <QuotaNote />
      <div className="create">
        <CreateForm
          fields={fields}
          errors={errors}
          serverErrors={fieldErrors(create.error)}
          error={create.error}
          isBusy={create.isBusy}
          defaultAreaSqm={preview.preview?.spec.areaSqm}
          onChange={change}
          onSubmit={() => void create.run()}
        />
        <div className="create-preview">
          <Panel title={t('preview')}>
            <BuildingPreview {...preview} />
          </Panel>
        </div>
      </div>
    </Page>
  )
}

function QuotaNote(): ReactNode {
  const t = useTexts(createTexts)
  const { data } = useSandboxes()
  const max = usePortal().config.maxActiveSandboxes
  const n = data ? activeOf(data) : 0
  return n >= max ? <Note tone="warn">{t('quotaFull', { n, max })}</Note> : null
}
