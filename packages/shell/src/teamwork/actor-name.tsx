import type { ReactNode } from 'react'
import { isServiceAccount, useActorName } from './actor.ts'

/** Who did something; the whole id of a service account stands behind its short form. */
export function ActorName({ actor }: { actor: string }): ReactNode {
  const nameOf = useActorName()
  return isServiceAccount(actor) ? <span title={actor}>{nameOf(actor)}</span> : actor
}
