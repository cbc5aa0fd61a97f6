import { fieldFaults, Note, navigate, Page, Panel, useAction, useWords } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { usePortal } from '../app/api.tsx'
import { usePageTitle } from '../app/page-title.ts'
import { BuildingPreview } from '../preview/building-preview.tsx'
import { usePreview } from '../preview/use-preview.ts'
import { activeOf, useSandboxes } from '../sandboxes/use-sandboxes.ts'
import { type CreateFields, faultsOf, firstFields, newSeed, requestOf, shapeOf } from './create-fields.ts'
import { CreateForm } from './create-form.tsx'
import { createWords } from './create-words.ts'
import './create.css'

/** Where this is not what shapes a building, its faults do not keep one from being drawn. */
const NOT_SHAPING: readonly string[] = ['name', 'ttlDays', 'seedTelemetryDays']

export function CreatePage(): ReactNode {
  const t = useWords(createWords)
  usePageTitle(t('title'))
  const { api } = usePortal()
  const [fields, setFields] = useState<CreateFields>(() => firstFields(newSeed()))
  // One for the form: pressed twice, or sent again, it makes one sandbox.
  const [attempt, setAttempt] = useState(() => crypto.randomUUID())
  const faults = faultsOf(fields)
  const canDraw = Object.keys(faults).every((field) => NOT_SHAPING.includes(field))
  const previewed = usePreview(canDraw ? shapeOf(fields) : undefined)
  const create = useAction(async () => {
    const record = await api.sandboxes.create(requestOf(fields), { idempotencyKey: attempt })
    navigate(`/sandboxes/${record.sandboxId}`)
  })
  const change = (changes: Partial<CreateFields>) => {
    setFields((before) => ({ ...before, ...changes }))
    setAttempt(crypto.randomUUID())
    create.clear()
  }
  return (
    <Page title={t('title')} lead={t('lead')} back={{ to: '/', label: t('back') }} wide>
      <QuotaNote />
      <div className="create">
        <CreateForm
          fields={fields}
          faults={faults}
          refused={fieldFaults(create.error)}
          error={create.error}
          isBusy={create.isBusy}
          usualAreaSqm={previewed.preview?.spec.areaSqm}
          onChange={change}
          onSubmit={() => void create.run()}
        />
        <div className="create-preview">
          <Panel title={t('preview')}>
            <BuildingPreview {...previewed} />
          </Panel>
        </div>
      </div>
    </Page>
  )
}

function QuotaNote(): ReactNode {
  const t = useWords(createWords)
  const { data } = useSandboxes()
  const max = usePortal().config.maxActiveSandboxes
  const n = data ? activeOf(data) : 0
  return n >= max ? <Note tone="warn">{t('quotaFull', { n, max })}</Note> : null
}
