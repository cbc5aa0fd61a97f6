export {
  countDeadLetters,
  deleteDeadLetter,
  findDeadLetter,
  listDeadLetters,
  requestResend,
} from './dead-letters.store.ts'
export { createKeepDeadLetter, type KeepDeadLetter } from './keep-dead-letter.ts'
export { createResender, type ResenderOptions } from './resend-dead-letters.ts'
