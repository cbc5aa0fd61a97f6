import type { ReactNode } from 'react'
import { isServiceAccount, useActorName } from './actor.ts'

/** The name of an actor. A service account has its full id as tooltip. */
export function ActorName({ actor }: { actor: string }): ReactNode {
  const nameOf = useActorName()
  return isServiceAccount(actor) ? <span title={actor}>{nameOf(actor)}</span> : actor
}
