import type { ChangesetPatch, ChangesetRecord } from '@storey/sdk'
import {
  Button,
  changeRecord,
  ErrorPanel,
  ifUnchanged,
  Note,
  TextArea,
  TextField,
  useAction,
  useRoute,
  useTexts,
  useToasts,
  useUnsavedGuard,
} from '@storey/web'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { isConflict } from '../collaboration/conflict.ts'
import { RoomPicker } from '../rooms/room-picker.tsx'
import styles from './changesets.module.css'
import { type RoomFields as Fields, fieldsOf, roomEditOf, spacePatchOf } from './room-edit.ts'
import { RoomFields } from './room-fields.tsx'
import { changesetTexts } from './texts.ts'

class ChangedElsewhere extends Error {}

/**
 * Creates a changeset for one room, or edits a draft. If the form cannot show the operations of a draft, only its title
 * and description are editable.
 */
export function ChangesetForm({ draft }: { draft?: ChangesetRecord }): ReactNode {
  const t = useTexts(changesetTexts)
  const { api } = useShell()
  const building = useBuildingData()
  const toasts = useToasts()
  const { query } = useRoute()
  const edit = draft && roomEditOf(draft.operations)
  const [roomId, setRoomId] = useState(edit?.roomId ?? query.get('space') ?? '')
  // Contains only the fields that the user changed. The other fields show the values of the draft or else of the room.
  const [typed, setTyped] = useState<Partial<Fields>>()
  const [title, setTitle] = useState(draft?.title ?? '')
  const [description, setDescription] = useState(draft?.description ?? '')
  const room = building.space(roomId)
  const editsRoom = !draft || (edit !== undefined && building.space(edit.roomId) !== undefined)
  const fields = room && fieldsOf(room, { ...(roomId === edit?.roomId ? edit.data : {}), ...typed })
  const data = editsRoom && room && fields ? spacePatchOf(room, fields) : {}
  const isUnchanged = Object.keys(data).length === 0
  // A draft whose room and fields were not edited can be saved without new operations.
  const keepsOperations = draft !== undefined && typed === undefined && (!editsRoom || roomId === edit?.roomId)

  const isTyped = title !== (draft?.title ?? '') || description !== (draft?.description ?? '')
  const leaveTo = useUnsavedGuard(isTyped || typed !== undefined)

  // If saving succeeds and submitting fails, the next attempt continues with the saved draft.
  const known = useRef(draft)
  const [isOutdatedDraft, setIsOutdatedDraft] = useState(false)
  /** Warns once if somebody else changed the draft; the next save overwrites that change. */
  const update = async (before: ChangesetRecord, patch: ChangesetPatch): Promise<ChangesetRecord | undefined> => {
    const change = {
      read: () => api.changesets.get(before.id),
      check(now: ChangesetRecord) {
        // If the changeset is no longer a draft, the API refuses the update.
        if (now.state !== 'draft' || now.updatedAt === before.updatedAt) return
        known.current = now
        throw new ChangedElsewhere()
      },
      send: (options: { ifMatch?: string | object }) => api.changesets.update(before.id, patch, options),
    }
    return await changeRecord(before, change).catch((error) => {
      if (!(error instanceof ChangedElsewhere)) throw error
      setIsOutdatedDraft(true)
      return undefined
    })
  }

  const save = useAction(async (submits: boolean) => {
    const texts = {
      title: title.trim() || (room ? t('defaultTitle', { room: room.name }) : (draft?.title ?? '')),
      description: description.trim() || null,
    }
    const operations = [{ op: 'update' as const, kind: 'space' as const, id: roomId, data: { ...data } }]
    setIsOutdatedDraft(false)
    const saved = known.current
      ? await update(known.current, isUnchanged ? texts : { ...texts, operations })
      : await api.changesets.create({ ...texts, operations })
    if (!saved) return
    known.current = saved
    const { id } = saved
    if (submits) await api.changesets.submit(id, undefined, ifUnchanged(saved))
    else toasts.show(t('draftSaved'))
    leaveTo(`/changesets/${id}`)
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void save.run(true)
  }
  const choose = (id: string) => {
    setRoomId(id)
    setTyped(undefined)
  }
  const change = (changed: Partial<Fields>) => setTyped((before) => ({ ...before, ...changed }))
  const isReady = !isUnchanged || keepsOperations
  return (
    <form className={styles.form} onSubmit={onSubmit}>
      {editsRoom ? (
        <RoomPicker label={t('room')} none={t('chooseRoom')} value={roomId} onValue={choose} />
      ) : (
        <Note>{t('hiddenOperations', { n: draft.operations.length })}</Note>
      )}
      {editsRoom && fields ? <RoomFields fields={fields} onChange={change} /> : null}
      {room || !editsRoom ? (
        <>
          <TextField
            label={t('titleField')}
            hint={t('titleHint')}
            value={title}
            onText={setTitle}
            placeholder={room ? t('defaultTitle', { room: room.name }) : draft?.title}
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
          {isConflict(save.error) && save.error.problem.field === 'state' ? (
            <div role="alert">
              <Note tone="warn">
                <strong>{t('changedMeanwhile')}</strong>
                <p>{t('draftSubmitted')}</p>
              </Note>
            </div>
          ) : (
            <ErrorPanel error={save.error} />
          )}
          {isOutdatedDraft ? (
            <div role="alert">
              <Note tone="warn">
                <strong>{t('changedMeanwhile')}</strong>
                <p>{t('draftChanged')}</p>
              </Note>
            </div>
          ) : null}
          <div className="st-row">
            <Button kind="primary" type="submit" label={t('saveAndSubmit')} disabled={!isReady} isBusy={save.isBusy} />
            <Button label={t('saveDraft')} disabled={!isReady || save.isBusy} onClick={() => void save.run(false)} />
            {isReady ? null : <span className="st-quiet">{t('unchanged')}</span>}
          </div>
        </>
      ) : null}
    </form>
  )
}
