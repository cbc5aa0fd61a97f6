import type { Database } from '@storey/kit/database'
import { newDeadLetterId } from '../../ids.ts'
import { type DeadLetterLimits, insertDeadLetter, type NewDeadLetter } from './dead-letters.store.ts'

/** The limits of each sandbox. Beyond them a message is neither stored nor acknowledged, so it is delivered again. */
export const DEAD_LETTER_LIMITS: DeadLetterLimits = { rows: 1_000, bytes: 50 * 1024 * 1024 }

const MAX_REASON = 500

/** Resolves with the id of the stored dead letter; undefined when the limit is reached. */
export type KeepDeadLetter = (letter: Omit<NewDeadLetter, 'id'>) => Promise<string | undefined>

export function createKeepDeadLetter(control: Database, limits = DEAD_LETTER_LIMITS): KeepDeadLetter {
  return (letter) => {
    const reason = letter.reason.slice(0, MAX_REASON).replaceAll('\0', '')
    return insertDeadLetter(control, { ...letter, id: newDeadLetterId(), reason }, limits)
  }
}
