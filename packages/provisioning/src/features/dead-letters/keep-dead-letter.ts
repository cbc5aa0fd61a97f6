import type { Database } from '@storey/kit/database'
import { newDeadLetterId } from '../../ids.ts'
import { type DeadLetterLimits, insertDeadLetter, type NewDeadLetter } from './dead-letters.store.ts'

/** Of one sandbox. A message that finds no room is not acknowledged, and comes again. */
export const DEAD_LETTER_LIMITS: DeadLetterLimits = { rows: 1_000, bytes: 50 * 1024 * 1024 }

const MAX_REASON = 500

/** The id of the letter once it is there to stay; undefined: the sandbox has as many as it may have. */
export type KeepDeadLetter = (letter: Omit<NewDeadLetter, 'id'>) => Promise<string | undefined>

export function createKeepDeadLetter(control: Database, limits = DEAD_LETTER_LIMITS): KeepDeadLetter {
  return (letter) => {
    const reason = letter.reason.slice(0, MAX_REASON).replaceAll('\0', '')
    return insertDeadLetter(control, { ...letter, id: newDeadLetterId(), reason }, limits)
  }
}
