import { spaceTypes } from '@storey/contract'
import type { SpaceNode, SpacePatch } from '@storey/sdk'
import {
  Button,
  EmptyState,
  ErrorPanel,
  navigate,
  Page,
  Panel,
  Select,
  TextArea,
  TextField,
  useAction,
  useLocale,
  useRoute,
  useToasts,
  useWords,
} from '@storey/web'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { spaceTypeName } from '../building/space-types.ts'
import { RoomSelect } from '../requests/room-select.tsx'
import styles from './changesets.module.css'
import { changesetWords } from './words.ts'

/** A changeset of one room: its name, type and status. `?space=` chooses it. */
export default function NewChangesetPage(): ReactNode {
  const t = useWords(changesetWords)
  const { may } = useShell()
  const building = useBuildingData()
  const { query } = useRoute()
  const [roomId, setRoomId] = useState(query.get('space') ?? '')
  const room = building.space(roomId)
  return (
    <Page title={t('newChangeset')} lead={t('newText')} back={{ to: '/changesets', label: t('back') }}>
      <Panel>
        {may('building.changesets:write') ? (
          <div className={styles.form}>
            <RoomSelect label={t('room')} none={t('chooseRoom')} value={roomId} onValue={setRoomId} />
            {room ? <RoomForm key={room.id} room={room} /> : null}
          </div>
        ) : (
          <EmptyState title={t('mayNot')} text={t('mayNotText')} />
        )}
      </Panel>
    </Page>
  )
}

const STATUSES = ['active', 'vacant', 'out_of_service'] as const

function RoomForm({ room }: { room: SpaceNode }): ReactNode {
  const t = useWords(changesetWords)
  const { api } = useShell()
  const locale = useLocale()
  const toasts = useToasts()
  const [name, setName] = useState(room.name)
  const [spaceTypeSlug, setType] = useState(room.spaceTypeSlug)
  const [status, setStatus] = useState(room.status)
  const [title, setTitle] = useState('')
  const [description, setDescription] = useState('')
  const data: SpacePatch = {
    ...(name.trim() === room.name || name.trim() === '' ? {} : { name: name.trim() }),
    ...(spaceTypeSlug === room.spaceTypeSlug ? {} : { spaceTypeSlug }),
    ...(status === room.status ? {} : { status }),
  }
  const isUnchanged = Object.keys(data).length === 0

  const save = useAction(async (isSubmitted: boolean) => {
    const made = await api.changesets.create({
      title: title.trim() || t('defaultTitle', { room: room.name }),
      description: description.trim() || null,
      operations: [{ op: 'update', kind: 'space', id: room.id, data: { ...data } }],
    })
    if (isSubmitted) await api.changesets.submit(made.id)
    else toasts.show(t('drafted'))
    navigate(`/changesets/${made.id}`)
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void save.run(true)
  }
  return (
    <form className={styles.form} onSubmit={onSubmit}>
      <TextField label={t('name')} value={name} onText={setName} maxLength={200} autoComplete="off" />
      <div className={styles.pair}>
        <Select
          label={t('type')}
          value={spaceTypeSlug}
          options={spaceTypes.map(({ slug }) => ({ value: slug, label: spaceTypeName(slug, locale) }))}
          onValue={setType}
        />
        <Select<SpaceNode['status']>
          label={t('status')}
          value={status}
          options={STATUSES.map((value) => ({ value, label: t(value) }))}
          onValue={setStatus}
        />
      </div>
      <TextField
        label={t('titleField')}
        hint={t('titleHint')}
        value={title}
        onText={setTitle}
        placeholder={t('defaultTitle', { room: room.name })}
        maxLength={200}
        autoComplete="off"
      />
      <TextArea
        label={t('descriptionOptional')}
        rows={3}
        maxLength={10_000}
        value={description}
        onText={setDescription}
      />
      <ErrorPanel error={save.error} />
      <div className="st-row">
        <Button kind="primary" type="submit" label={t('saveAndSubmit')} disabled={isUnchanged} isBusy={save.isBusy} />
        <Button label={t('saveDraft')} disabled={isUnchanged || save.isBusy} onClick={() => void save.run(false)} />
        {isUnchanged ? <span className="st-quiet">{t('unchanged')}</span> : null}
      </div>
    </form>
  )
}
