import { ButtonLink, EmptyState, ErrorPanel, LoadingState, Page, Panel, useLoad, useRoute, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { ChangesetForm } from './changeset-form.tsx'
import { changesetTexts } from './texts.ts'
import { useMayEdit } from './use-permissions.ts'

/** A form for a changeset of one room: name, type and status. `?space=` selects the room; `?draft=` opens a draft. */
export default function NewChangesetPage(): ReactNode {
  const t = useTexts(changesetTexts)
  const { may } = useShell()
  const draft = useRoute().query.get('draft')
  const mayWrite = may('building.changesets:write')
  if (mayWrite && draft) return <DraftPage key={draft} id={draft} />
  return (
    <Page title={t('newChangeset')} lead={t('newText')} back={{ to: '/changesets', label: t('back') }}>
      <Panel>{mayWrite ? <ChangesetForm /> : <EmptyState title={t('notAllowed')} text={t('notAllowedText')} />}</Panel>
    </Page>
  )
}

function DraftPage({ id }: { id: string }): ReactNode {
  const t = useTexts(changesetTexts)
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
