import { ButtonLink, EmptyState, ErrorPanel, LoadingState, Page, Panel, useLoad, useRoute, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { ChangesetForm } from './changeset-form.tsx'
import { useMayEdit } from './use-writers.ts'
import { changesetWords } from './words.ts'

/** A changeset of one room: its name, type and status. `?space=` chooses it; `?draft=` goes on with a draft. */
export default function NewChangesetPage(): ReactNode {
  const t = useWords(changesetWords)
  const { may } = useShell()
  const draft = useRoute().query.get('draft')
  const isMine = may('building.changesets:write')
  if (isMine && draft) return <DraftPage key={draft} id={draft} />
  return (
    <Page title={t('newChangeset')} lead={t('newText')} back={{ to: '/changesets', label: t('back') }}>
      <Panel>{isMine ? <ChangesetForm /> : <EmptyState title={t('mayNot')} text={t('mayNotText')} />}</Panel>
    </Page>
  )
}

function DraftPage({ id }: { id: string }): ReactNode {
  const t = useWords(changesetWords)
  const { api } = useShell()
  const mayEdit = useMayEdit()
  const one = useLoad(['draft', id], (signal) => api.changesets.get(id, { signal }))
  const to = `/changesets/${id}`
  return (
    <Page title={t('editDraft')} lead={one.data?.title} back={{ to, label: t('backToOne') }}>
      <ErrorPanel error={one.error} onRetry={one.reload} />
      {one.data ? (
        <Panel>
          {mayEdit(one.data) ? (
            <ChangesetForm draft={one.data} />
          ) : (
            <EmptyState
              title={one.data.state === 'draft' ? t('notYourDraft') : t('noDraft')}
              text={one.data.state === 'draft' ? t('notYourDraftText') : t('noDraftText')}
              action={<ButtonLink to={to} label={t('toChangeset')} />}
            />
          )}
        </Panel>
      ) : one.error === undefined ? (
        <LoadingState />
      ) : null}
    </Page>
  )
}
