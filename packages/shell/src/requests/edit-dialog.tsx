import type { RequestRecord } from '@storey/sdk'
import {
  Button,
  Choice,
  Dialog,
  Note,
  Select,
  TextArea,
  TextField,
  useAction,
  useFormat,
  useToasts,
  useWords,
} from '@storey/web'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useKeptFocus } from '../teamwork/use-kept-focus.ts'
import { Overtaken, Refusal, useChange } from './overtaken.tsx'
import { clashesOf, fieldsOf, patchOf, type RequestFields } from './request-patch.ts'
import { RoomSelect } from './room-select.tsx'
import { CATEGORIES, isOver, PRIORITIES } from './states.ts'
import { requestWords } from './words.ts'

interface EditDialogProps {
  request: RequestRecord
  onChange(request: RequestRecord): void
  onClose(): void
}

/** Somebody else changed the same fields: the page tells which. */
class Clashing extends Error {}

/** Corrects a request: what it says, what it is about and how urgent it is. */
export function EditDialog({ request, onChange, onClose }: EditDialogProps): ReactNode {
  const t = useWords(requestWords)
  const format = useFormat()
  const { client } = useShell()
  const building = useBuildingData()
  const toasts = useToasts()
  const form = useId()
  const change = useChange(request, onChange)
  /** As it was when the form was filled in; what is sent is what differs from that. */
  const [was, setWas] = useState(() => fieldsOf(request))
  const [fields, setFields] = useState(was)
  const [clashes, setClashes] = useState<readonly (keyof RequestFields)[]>([])
  const set = (changed: Partial<RequestFields>) => setFields((before) => ({ ...before, ...changed }))
  const patch = patchOf(was, fields, (id) => building.storey(id) !== undefined)
  const isChanged = Object.keys(patch).length > 0
  const isEmpty = fields.title.trim() === ''
  const checkClashes = (now: RequestRecord) => {
    const clashing = clashesOf(was, now, patch)
    if (clashing.length === 0) return
    setClashes(clashing)
    // Known now: to save once more is to mean it.
    setWas(fieldsOf(now))
    onChange(now)
    throw new Clashing()
  }
  const save = useAction(async () => {
    setClashes([])
    const saved = await change((options) => client.requests.update(request.id, patch, options), checkClashes).catch(
      (error) => {
        if (error instanceof Clashing) return undefined
        throw error
      },
    )
    if (!saved) return
    onChange(saved)
    toasts.show(t('corrected', { number: request.number }))
    onClose()
  })
  useKeptFocus(save.isBusy)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (isChanged && !isEmpty) void save.run()
  }
  /** A field that somebody else changed, with what stands there now where that is short. */
  const told = (field: keyof RequestFields) => {
    const now = field === 'title' ? was.title : field === 'category' || field === 'priority' ? t(was[field]) : undefined
    return now === undefined ? t(NAMES[field]) : t('clashNow', { field: t(NAMES[field]), now })
  }
  const equipment = building.elements.filter(
    ({ id, spaceId, storeyId }) => id === fields.elementId || (spaceId ?? storeyId) === fields.place,
  )
  return (
    <Dialog
      title={t('editOf', { number: request.number })}
      onClose={onClose}
      dismissible={!isChanged}
      wide
      footer={
        <>
          <Button label={t('discard')} onClick={onClose} />
          <Button
            kind="primary"
            type="submit"
            form={form}
            label={t('save')}
            disabled={!isChanged || isEmpty || isOver(request.state)}
            isBusy={save.isBusy}
          />
        </>
      }
    >
      <form id={form} className="st-stack" onSubmit={onSubmit} noValidate>
        <TextField
          label={t('subject')}
          error={isEmpty ? t('required') : undefined}
          value={fields.title}
          onText={(title) => set({ title })}
          maxLength={200}
          autoComplete="off"
          required
        />
        <TextArea
          label={t('description')}
          rows={4}
          maxLength={10_000}
          value={fields.description}
          onText={(description) => set({ description })}
        />
        <RoomSelect
          label={t('place')}
          none={t('wholeBuilding')}
          whole={(storey) => t('wholeStorey', { storey })}
          value={fields.place}
          onValue={(place) => set({ place, elementId: '' })}
        />
        {equipment.length > 0 ? (
          <Select
            label={t('equipment')}
            value={fields.elementId}
            options={[
              { value: '', label: t('noEquipment') },
              ...equipment.map(({ id, name, code }) => ({ value: id, label: `${name} · ${code}` })),
            ]}
            onValue={(elementId) => set({ elementId })}
          />
        ) : null}
        <Select<RequestRecord['category']>
          label={t('category')}
          value={fields.category}
          options={CATEGORIES.map((value) => ({ value, label: t(value) }))}
          onValue={(category) => set({ category })}
        />
        <Choice<RequestRecord['priority']>
          label={t('priority')}
          hint={t('priorityHint')}
          value={fields.priority}
          options={PRIORITIES.toReversed().map((value) => ({ value, label: t(value) }))}
          onValue={(priority) => set({ priority })}
        />
        {clashes.length > 0 ? (
          <div role="alert">
            <Note tone="warn">
              <strong>{t('clash')}</strong>
              <p>{t('clashText', { fields: format.list(clashes.map(told)) })}</p>
            </Note>
          </div>
        ) : null}
        <Refusal
          error={isOver(request.state) ? new Overtaken() : save.error}
          request={request}
          triedIn={request.state}
        />
      </form>
    </Dialog>
  )
}

const NAMES = {
  title: 'subject',
  description: 'description',
  category: 'category',
  priority: 'priority',
  place: 'place',
  elementId: 'equipment',
} as const satisfies Record<keyof RequestFields, string>
