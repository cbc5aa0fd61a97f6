export {
  countDeadLetters,
  type DeadLetterKey,
  deleteDeadLetter,
  findDeadLetter,
  listDeadLetters,
  listDeleted,
  requestResend,
} from './dead-letters.store.ts'
export { createKeepDeadLetter, type KeepDeadLetter } from './keep-dead-letter.ts'
export { createResender, type ResenderOptions } from './resend-dead-letters.ts'
