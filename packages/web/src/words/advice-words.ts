import { defineWords } from './words.ts'

/** What to do about a problem, by its code. Those that say it all themselves are not here. */
export const adviceWords = defineWords(
  {
    UNAUTHENTICATED: 'Sign in again.',
    PERMISSION_DENIED: 'Ask whoever manages the accounts for a role that may do this.',
    SCOPE_DENIED: 'Use a credential with a wider scope.',
    NOT_FOUND: 'It may have been removed since. Go back to the list.',
    CONFLICT: 'Somebody else was faster, or something is still under way. Look again, then repeat it.',
    QUOTA_EXCEEDED: 'Make room first: remove what is no longer used.',
    RATE_LIMITED: 'Wait a moment, then try again.',
    NOT_READY: 'It is starting. Try again in a few seconds.',
    EXTENSIONS_EXHAUSTED: 'Create a new sandbox with the same seed: it gives the same building.',
    TTL_TOO_LONG: 'Choose fewer days.',
    INTERNAL: 'Try again. If it stays so, give the operator the number of the request.',
  },
  {
    UNAUTHENTICATED: 'Войдите снова.',
    PERMISSION_DENIED: 'Попросите того, кто ведёт учётные записи, дать роль, которой это можно.',
    SCOPE_DENIED: 'Нужен ключ с более широкой областью.',
    NOT_FOUND: 'Возможно, это уже удалили. Вернитесь к списку.',
    CONFLICT: 'Кто-то успел раньше, или работа ещё идёт. Посмотрите снова и повторите.',
    QUOTA_EXCEEDED: 'Сначала освободите место: удалите то, что больше не нужно.',
    RATE_LIMITED: 'Подождите немного и повторите.',
    NOT_READY: 'Идёт запуск. Повторите через несколько секунд.',
    EXTENSIONS_EXHAUSTED: 'Создайте новую песочницу с тем же seed: здание будет тем же.',
    TTL_TOO_LONG: 'Выберите меньше дней.',
    INTERNAL: 'Повторите. Если не пройдёт, назовите оператору номер запроса.',
  },
)
