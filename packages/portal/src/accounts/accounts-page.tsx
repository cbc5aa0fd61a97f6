import { LIMITS } from '@storey/contract'
import { useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { usePortal } from '../app/api.tsx'
import { SandboxFrame } from '../sandboxes/sandbox-frame.tsx'
import { useSandbox } from '../sandboxes/use-sandboxes.ts'
import { accountWords } from './account-words.ts'
import { MembersPanel } from './members-panel.tsx'
import { tokenSnippet, tokenUrlOf } from './token-snippet.ts'

const ALL = { limit: LIMITS.page.max }

/** Who may enter a sandbox: people by a password, programs by a secret. */
export function AccountsPage({ id }: { id: string }): ReactNode {
  const t = useWords(accountWords)
  const { api, config } = usePortal()
  const sandbox = useSandbox(id)
  return (
    <SandboxFrame id={id} sandbox={sandbox} section="accounts">
      {({ apiUrl }) => (
        <>
          <MembersPanel
            title={t('people')}
            lead={t('peopleText')}
            addLabel={t('addPerson')}
            emptyTitle={t('noPeople')}
            emptyText={t('noPeopleText')}
            nameLabel={t('email')}
            nameType="email"
            listKey={['accounts', id]}
            list={async (signal) =>
              (await api.accounts.list(id, ALL, { signal })).data.map((account) => ({
                ...account,
                name: account.email,
              }))
            }
            create={async ({ name, roles }) => {
              const { oneTimePassword } = await api.accounts.create(id, { email: name, roles })
              return { items: [{ label: t('oneTimePassword'), text: oneTimePassword, hint: t('oneTimeText') }] }
            }}
            remove={(memberId) => api.accounts.delete(id, memberId)}
            onGone={sandbox.reload}
          />
          <MembersPanel
            title={t('programs')}
            lead={t('programsText')}
            addLabel={t('addProgram')}
            emptyTitle={t('noPrograms')}
            emptyText={t('noProgramsText')}
            nameLabel={t('name')}
            nameType="text"
            listKey={['service-accounts', id]}
            list={async (signal) => (await api.serviceAccounts.list(id, ALL, { signal })).data}
            create={async (body) => {
              const { clientId, clientSecret } = await api.serviceAccounts.create(id, body)
              // The secret is told once: what else there is to say must not be in its way.
              const tokenUrl = await tokenUrlOf(config.sandboxesIssuer).catch(() => undefined)
              const items = [
                { label: t('clientId'), text: clientId, isPlain: true },
                { label: t('clientSecret'), text: clientSecret },
                ...(tokenUrl === undefined ? [] : [{ label: t('tokenUrl'), text: tokenUrl, isPlain: true }]),
                { label: t('apiUrl'), text: apiUrl, isPlain: true },
              ]
              if (tokenUrl === undefined) return { items }
              const snippet = tokenSnippet({ tokenUrl, clientId, clientSecret, apiUrl })
              return { items, use: { text: t('tokenText'), snippet, covers: clientSecret } }
            }}
            remove={(memberId) => api.serviceAccounts.delete(id, memberId)}
            onGone={sandbox.reload}
          />
        </>
      )}
    </SandboxFrame>
  )
}
