import { defineTexts, useTexts } from '@storey/web'
import { useCallback } from 'react'

/** The API names a person by email address or user name, and a service account by its client id. */
const SERVICE_ACCOUNT = /^sa-[A-Za-z0-9]{8,}$/
export const isServiceAccount = (actor: string): boolean => SERVICE_ACCOUNT.test(actor)

const SHORT_LENGTH = 'sa-'.length + 4
export const shortId = (id: string): string => `${id.slice(0, SHORT_LENGTH)}…`

const actorTexts = defineTexts(
  { serviceAccount: 'service account {id}' },
  { serviceAccount: 'сервисная учётная запись {id}' },
)

/** The display name of an actor. */
export function useActorName(): (actor: string) => string {
  const t = useTexts(actorTexts)
  return useCallback((actor) => (isServiceAccount(actor) ? t('serviceAccount', { id: shortId(actor) }) : actor), [t])
}
