import { defineWords, useWords } from '@storey/web'
import { useCallback } from 'react'

/** The platform names a person by email, and a service account by its client, whose name it does not know. */
const SERVICE_ACCOUNT = /^sa-[A-Za-z0-9]{8,}$/
export const isServiceAccount = (actor: string): boolean => SERVICE_ACCOUNT.test(actor)

const SHOWN = 'sa-'.length + 4
export const shortened = (id: string): string => `${id.slice(0, SHOWN)}…`

const actorWords = defineWords(
  { serviceAccount: 'service account {id}' },
  { serviceAccount: 'служебная учётная запись {id}' },
)

/** Who did something, for people to read. */
export function useActorName(): (actor: string) => string {
  const t = useWords(actorWords)
  return useCallback((actor) => (isServiceAccount(actor) ? t('serviceAccount', { id: shortened(actor) }) : actor), [t])
}
