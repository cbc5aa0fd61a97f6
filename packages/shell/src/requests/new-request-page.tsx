import type { RequestRecord } from '@storey/sdk'
import {
  Button,
  Choice,
  ErrorPanel,
  Page,
  Panel,
  Select,
  TextArea,
  TextField,
  useAction,
  useRoute,
  useTexts,
  useToasts,
  useUnsavedGuard,
} from '@storey/web'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { RoomPicker } from '../rooms/room-picker.tsx'
import styles from './requests.module.css'
import { CATEGORIES, PRIORITIES } from './states.ts'
import { requestTexts } from './texts.ts'

const priorityOf = (text: string | null): RequestRecord['priority'] =>
  PRIORITIES.find((one) => one === text) ?? 'normal'

/**
 * Creates a request. `?space=`, `?element=`, `?title=` and `?priority=` prefill the form if it is opened from a room or
 * a fault. `?fault=` is the id of the fault.
 */
export default function NewRequestPage(): ReactNode {
  const t = useTexts(requestTexts)
  const { client, buildingId } = useShell()
  const building = useBuildingData()
  const { query } = useRoute()
  const toasts = useToasts()
  const element = building.element(query.get('element') ?? '')
  const [title, setTitle] = useState(query.get('title') ?? '')
  const [description, setDescription] = useState('')
  const [spaceId, setSpaceId] = useState(query.get('space') ?? element?.spaceId ?? '')
  // Somebody can delete the room while the form is open.
  const room = building.space(spaceId)
  const [category, setCategory] = useState<RequestRecord['category']>(element ? 'hvac' : 'other')
  const [priority, setPriority] = useState(priorityOf(query.get('priority')))
  const fields = JSON.stringify([title, description, spaceId, category, priority])
  const [original] = useState(fields)
  const leaveTo = useUnsavedGuard(fields !== original)
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const save = useAction(async () => {
    const created = await client.requests.create({
      buildingId,
      title: title.trim(),
      description: description.trim() || null,
      category,
      priority,
      spaceId: room?.id ?? null,
      faultId: query.get('fault'),
      ...(element && element.spaceId === (room?.id ?? null) ? { elementId: element.id } : {}),
    })
    toasts.show(t('createdText', { number: created.number }))
    leaveTo(`/requests/${created.id}`)
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setWasSubmitted(true)
    if (title.trim() !== '') void save.run()
  }
  return (
    <Page title={t('newRequest')} back={{ to: '/requests', label: t('back') }}>
      <Panel>
        <form className={styles.form} onSubmit={onSubmit} noValidate>
          <TextField
            label={t('what')}
            hint={t('whatHint')}
            error={wasSubmitted && title.trim() === '' ? t('required') : undefined}
            value={title}
            onText={setTitle}
            maxLength={200}
            autoComplete="off"
            required
          />
          <TextArea label={t('more')} rows={4} maxLength={10_000} value={description} onText={setDescription} />
          <RoomPicker
            label={t('room')}
            none={t('noRoom')}
            value={room?.id ?? ''}
            error={spaceId !== '' && !room ? t('roomDeleted') : undefined}
            onValue={setSpaceId}
          />
          <Select<RequestRecord['category']>
            label={t('category')}
            value={category}
            options={CATEGORIES.map((value) => ({ value, label: t(value) }))}
            onValue={setCategory}
          />
          <Choice<RequestRecord['priority']>
            label={t('priority')}
            value={priority}
            options={PRIORITIES.toReversed().map((value) => ({ value, label: t(value) }))}
            onValue={setPriority}
          />
          <ErrorPanel error={save.error} />
          <div className="st-row">
            <Button kind="primary" type="submit" label={t('submit')} isBusy={save.isBusy} />
          </div>
        </form>
      </Panel>
    </Page>
  )
}
