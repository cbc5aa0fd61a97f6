import { LIMITS } from '@storey/contract'
import { useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { usePortal } from '../app/api.tsx'
import { SandboxFrame } from '../sandboxes/sandbox-frame.tsx'
import { useSandbox } from '../sandboxes/use-sandboxes.ts'
import { accountWords } from './account-words.ts'
import { MembersPanel } from './members-panel.tsx'

const ALL = { limit: LIMITS.page.max }

/** Who may enter a sandbox: people by a password, programs by a secret. */
export function AccountsPage({ id }: { id: string }): ReactNode {
  const t = useWords(accountWords)
  const { api } = usePortal()
  const sandbox = useSandbox(id)
  return (
    <SandboxFrame id={id} sandbox={sandbox} section="accounts">
      {() => (
        <>
          <MembersPanel
            title={t('people')}
            lead={t('peopleText')}
            addLabel={t('addPerson')}
            emptyTitle={t('noPeople')}
            emptyText={t('noPeopleText')}
            nameLabel={t('email')}
            nameType="email"
            list={async (signal) =>
              (await api.accounts.list(id, ALL, { signal })).data.map((account) => ({
                ...account,
                name: account.email,
              }))
            }
            create={async ({ name, roles }) => {
              const { oneTimePassword } = await api.accounts.create(id, { email: name, roles })
              return [{ label: t('oneTimePassword'), text: oneTimePassword, isSecret: true, hint: t('oneTimeText') }]
            }}
            remove={(memberId) => api.accounts.delete(id, memberId)}
          />
          <MembersPanel
            title={t('programs')}
            lead={t('programsText')}
            addLabel={t('addProgram')}
            emptyTitle={t('noPrograms')}
            emptyText={t('noProgramsText')}
            nameLabel={t('name')}
            nameType="text"
            list={async (signal) => (await api.serviceAccounts.list(id, ALL, { signal })).data}
            create={async (body) => {
              const { clientId, clientSecret } = await api.serviceAccounts.create(id, body)
              return [
                { label: t('clientId'), text: clientId },
                { label: t('clientSecret'), text: clientSecret, isSecret: true },
              ]
            }}
            remove={(memberId) => api.serviceAccounts.delete(id, memberId)}
          />
        </>
      )}
    </SandboxFrame>
  )
}
