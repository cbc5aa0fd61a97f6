import { LIMITS } from '@storey/contract'
import { useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { usePortal } from '../app/api.tsx'
import { SandboxFrame } from '../sandboxes/sandbox-frame.tsx'
import { useSandbox } from '../sandboxes/use-sandboxes.ts'
import { accountTexts } from './account-texts.ts'
import { MembersPanel } from './members-panel.tsx'
import { tokenSnippet, tokenUrlOf } from './token-snippet.ts'

const ALL = { limit: LIMITS.page.max }

/** The accounts of a sandbox: people sign in with a password, programs with a client secret. */
export function AccountsPage({ id }: { id: string }): ReactNode {
  const t = useTexts(accountTexts)
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
            read={(memberId) => api.accounts.get(id, memberId)}
            remove={(memberId, options) => api.accounts.delete(id, memberId, options)}
            onNotFound={sandbox.reload}
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
              // The secret is shown only once, so a failure here must not hide it.
              const tokenUrl = await tokenUrlOf(config.sandboxesIssuer).catch(() => undefined)
              const items = [
                { label: t('clientId'), text: clientId, isPlain: true },
                { label: t('clientSecret'), text: clientSecret },
                ...(tokenUrl === undefined ? [] : [{ label: t('tokenUrl'), text: tokenUrl, isPlain: true }]),
                { label: t('apiUrl'), text: apiUrl, isPlain: true },
              ]
              if (tokenUrl === undefined) return { items }
              const snippet = tokenSnippet({ tokenUrl, clientId, clientSecret, apiUrl })
              return { items, use: { text: t('tokenText'), snippet, secret: clientSecret } }
            }}
            read={(memberId) => api.serviceAccounts.get(id, memberId)}
            remove={(memberId, options) => api.serviceAccounts.delete(id, memberId, options)}
            onNotFound={sandbox.reload}
          />
        </>
      )}
    </SandboxFrame>
  )
}
