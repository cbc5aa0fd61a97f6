import { defineTexts } from './texts.ts'

/**
 * What to do about a problem, by code. Codes without an entry need no advice. `adviceCodeOf` decides whether the
 * advice for a code applies.
 */
export const adviceTexts = defineTexts(
  {
    UNAUTHENTICATED: 'Sign in again.',
    PERMISSION_DENIED: 'Ask an administrator for a role with this permission.',
    SANDBOX_SUSPENDED: 'Ask the operator of the service to resume the sandbox.',
    SCOPE_DENIED: 'Use a credential with a wider scope.',
    NOT_FOUND: 'The record may have been deleted. Go back to the list.',
    CONFLICT: 'If somebody else has changed the record or an operation is running, reload the page and try again.',
    QUOTA_EXCEEDED: 'Delete or revoke what you no longer use, or try again later.',
    RATE_LIMITED: 'Wait a moment, then try again.',
    NOT_READY: 'The service is not ready yet, or it is busy. Try again in a few seconds.',
    EXTENSIONS_EXHAUSTED: 'Create a new sandbox with the same parameters and seed to get the same building.',
    TTL_TOO_LONG: 'Choose fewer days.',
    INTERNAL: 'Try again. If the problem persists, send the request ID to the operator.',
  },
  {
    UNAUTHENTICATED: 'Войдите снова.',
    PERMISSION_DENIED: 'Попросите администратора назначить роль с этим правом.',
    SANDBOX_SUSPENDED: 'Попросите оператора сервиса возобновить работу песочницы.',
    SCOPE_DENIED: 'Используйте ключ или токен с более широкой областью действия.',
    NOT_FOUND: 'Возможно, запись уже удалили. Вернитесь к списку.',
    CONFLICT: 'Если запись изменил кто-то другой или операция ещё выполняется, обновите страницу и повторите.',
    QUOTA_EXCEEDED: 'Удалите или отзовите то, что больше не нужно, или повторите позже.',
    RATE_LIMITED: 'Подождите немного и повторите.',
    NOT_READY: 'Сервис ещё не готов или занят. Повторите через несколько секунд.',
    EXTENSIONS_EXHAUSTED: 'Создайте новую песочницу с теми же параметрами и seed, чтобы получить то же здание.',
    TTL_TOO_LONG: 'Выберите меньше дней.',
    INTERNAL: 'Повторите. Если ошибка остаётся, сообщите оператору ID запроса.',
  },
)

export type AdviceCode = keyof typeof adviceTexts.en

/** For codes with several causes: the advice applies only if the detail of the problem matches the pattern. */
const APPLIES: Partial<Record<AdviceCode, RegExp>> = {
  UNAUTHENTICATED: /^(?!.*is disabled: ask the operator)/,
  PERMISSION_DENIED: /^This call needs the permission /,
}

/** The code under which `adviceTexts` has advice for a problem; undefined if no advice applies to the problem. */
export function adviceCodeOf({ code, detail }: { code: string; detail: string }): AdviceCode | undefined {
  if (!Object.hasOwn(adviceTexts.en, code)) return undefined
  return (APPLIES[code as AdviceCode]?.test(detail) ?? true) ? (code as AdviceCode) : undefined
}
