import type { RequestRecord } from '@storey/sdk'
import {
  Button,
  Choice,
  ErrorPanel,
  navigate,
  Page,
  Panel,
  Select,
  TextArea,
  TextField,
  useAction,
  useRoute,
  useToasts,
  useWords,
} from '@storey/web'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import styles from './requests.module.css'
import { RoomSelect } from './room-select.tsx'
import { CATEGORIES, PRIORITIES } from './states.ts'
import { requestWords } from './words.ts'

/** Opens a request. `?space=`, `?element=` and `?title=` fill it in, from a room's page or a fault. */
export default function NewRequestPage(): ReactNode {
  const t = useWords(requestWords)
  const { client, buildingId } = useShell()
  const building = useBuildingData()
  const { query } = useRoute()
  const toasts = useToasts()
  const element = building.element(query.get('element') ?? '')
  const [title, setTitle] = useState(query.get('title') ?? '')
  const [description, setDescription] = useState('')
  const [spaceId, setSpaceId] = useState(query.get('space') ?? element?.spaceId ?? '')
  // Somebody may take it away while the form is open.
  const room = building.space(spaceId)
  const [category, setCategory] = useState<RequestRecord['category']>(element ? 'hvac' : 'other')
  const [priority, setPriority] = useState<RequestRecord['priority']>('normal')
  const [isChecked, setIsChecked] = useState(false)
  const save = useAction(async () => {
    const made = await client.requests.create({
      buildingId,
      title: title.trim(),
      description: description.trim() || null,
      category,
      priority,
      spaceId: room?.id ?? null,
      ...(element && element.spaceId === (room?.id ?? null) ? { elementId: element.id } : {}),
    })
    toasts.show(t('opened', { number: made.number }))
    navigate(`/requests/${made.id}`)
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (title.trim() !== '') void save.run()
  }
  return (
    <Page title={t('newRequest')} back={{ to: '/requests', label: t('back') }}>
      <Panel>
        <form className={styles.form} onSubmit={onSubmit} noValidate>
          <TextField
            label={t('what')}
            hint={t('whatHint')}
            error={isChecked && title.trim() === '' ? t('required') : undefined}
            value={title}
            onText={setTitle}
            maxLength={200}
            autoComplete="off"
            required
          />
          <TextArea label={t('more')} rows={4} maxLength={10_000} value={description} onText={setDescription} />
          <RoomSelect
            label={t('room')}
            none={t('noRoom')}
            value={room?.id ?? ''}
            error={spaceId !== '' && !room ? t('roomGone') : undefined}
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
