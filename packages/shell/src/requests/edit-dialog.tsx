import type { RequestRecord } from '@storey/sdk'
import {
  Button,
  Choice,
  Combobox,
  Dialog,
  Note,
  Select,
  TextArea,
  TextField,
  useAction,
  useFormat,
  useTexts,
  useToasts,
  useUnsavedGuard,
} from '@storey/web'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useReturnFocus } from '../collaboration/use-return-focus.ts'
import { RoomPicker } from '../rooms/room-picker.tsx'
import { ChangeError, OutdatedError, useRequestChange } from './request-change.tsx'
import { changedOf, conflictsOf, fieldsOf, patchOf, type RequestFields } from './request-patch.ts'
import { CATEGORIES, isFinal, PRIORITIES } from './states.ts'
import { requestTexts } from './texts.ts'

interface EditDialogProps {
  request: RequestRecord
  onChange(request: RequestRecord): void
  onClose(): void
}

/** Somebody else changed the same fields. */
class ConflictingChange extends Error {}

/** Edits the texts, location, equipment, category and priority of a request. */
export function EditDialog({ request, onChange, onClose }: EditDialogProps): ReactNode {
  const t = useTexts(requestTexts)
  const format = useFormat()
  const { client } = useShell()
  const building = useBuildingData()
  const toasts = useToasts()
  const form = useId()
  const change = useRequestChange(request, onChange)
  /** The values when the dialog opened, or after the last conflict. Only fields that differ from them are sent. */
  const [original, setOriginal] = useState(() => fieldsOf(request))
  const [fields, setFields] = useState(original)
  const [conflicts, setConflicts] = useState<readonly (keyof RequestFields)[]>([])
  const set = (changed: Partial<RequestFields>) => setFields((before) => ({ ...before, ...changed }))
  const patch = patchOf(original, fields, (id) => building.storey(id) !== undefined)
  const isChanged = Object.keys(patch).length > 0
  useUnsavedGuard(isChanged)
  const isEmpty = fields.title.trim() === ''
  const checkConflicts = (now: RequestRecord) => {
    const found = conflictsOf(original, now, patch)
    if (found.length === 0) return
    setConflicts(found)
    // The dialog now shows the conflict, so the next save overwrites the other person's change, but only in the fields
    // that this user has changed.
    const current = fieldsOf(now)
    setFields((mine) => ({ ...current, ...changedOf(original, mine) }))
    setOriginal(current)
    onChange(now)
    throw new ConflictingChange()
  }
  const save = useAction(async () => {
    setConflicts([])
    const saved = await change((options) => client.requests.update(request.id, patch, options), checkConflicts).catch(
      (error) => {
        if (error instanceof ConflictingChange) return undefined
        throw error
      },
    )
    if (!saved) return
    onChange(saved)
    toasts.show(t('updatedText', { number: request.number }))
    onClose()
  })
  useReturnFocus(save.isBusy)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (isChanged && !isEmpty) void save.run()
  }
  /** The name of a field in conflict; for the title, the category and the priority, with the current value. */
  const conflictText = (field: keyof RequestFields) => {
    const now =
      field === 'title' ? original.title : field === 'category' || field === 'priority' ? t(original[field]) : undefined
    return now === undefined ? t(NAMES[field]) : t('conflictNow', { field: t(NAMES[field]), now })
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
            disabled={!isChanged || isEmpty || isFinal(request.state)}
            isBusy={save.isBusy}
          />
        </>
      }
    >
      <form id={form} className="st-stack" onSubmit={onSubmit} noValidate>
        <TextField
          label={t('subject')}
          error={isEmpty ? t('subjectRequired') : undefined}
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
        <RoomPicker
          label={t('place')}
          none={t('wholeBuilding')}
          whole={(storey) => t('wholeStorey', { storey })}
          value={fields.place}
          onValue={(place) => set({ place, elementId: '' })}
        />
        {equipment.length > 0 ? (
          <Combobox
            label={t('equipment')}
            none={t('noEquipment')}
            value={fields.elementId}
            options={equipment.map(({ id, name, code }) => ({ value: id, label: name, detail: code }))}
            onChange={(elementId) => set({ elementId })}
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
        {conflicts.length > 0 ? (
          <div role="alert">
            <Note tone="warn">
              <strong>{t('conflict')}</strong>
              <p>{t('conflictText', { fields: format.list(conflicts.map(conflictText)) })}</p>
            </Note>
          </div>
        ) : null}
        <ChangeError
          error={isFinal(request.state) ? new OutdatedError() : save.error}
          request={request}
          attemptedState={request.state}
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
