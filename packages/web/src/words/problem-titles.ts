import type { ProblemCode } from '@storey/contract'
import type { Locale } from './locale.ts'

/** The API has its titles in English. */
const RUSSIAN: Record<ProblemCode, string> = {
  VALIDATION_FAILED: 'Запрос не соответствует схеме',
  VALUE_SCHEMA_INVALID: 'Схема значений неверна',
  VALUE_TYPE_MISMATCH: 'Значение не того типа, что слой',
  VALUE_SCHEMA_MISMATCH: 'Значение не соответствует схеме слоя',
  VALUE_TYPE_IMMUTABLE: 'Тип значений слоя изменить нельзя',
  TOO_MANY_IDENTIFIERS: 'Слишком много идентификаторов в одной загрузке',
  FILTER_NOT_ALLOWED: 'Это условие здесь неприменимо',
  LIMIT_TOO_LARGE: 'Предел больше самой большой страницы',
  UNKNOWN_POINTS: 'Некоторых точек в этом здании нет',
  UNKNOWN_BUILDING_TYPE: 'Такого типа зданий нет',
  UNKNOWN_EVENT: 'На такое событие подписаться нельзя',
  WEBHOOK_URL_REJECTED: 'Этот адрес для вебхука не подходит',
  EXTENSIONS_EXHAUSTED: 'Продлений не осталось',
  TTL_TOO_LONG: 'Песочница жила бы слишком долго',
  UNAUTHENTICATED: 'Нужен действующий вход',
  KEY_EXPIRED: 'Срок ключа API истёк',
  KEY_REVOKED: 'Ключ API отозван',
  SCOPE_DENIED: 'Область этого ключа так далеко не простирается',
  PERMISSION_DENIED: 'Не хватает прав',
  NOT_FOUND: 'Здесь ничего нет',
  METHOD_NOT_ALLOWED: 'Метод здесь не поддерживается',
  CONFLICT: 'Запрос противоречит тому, что есть',
  PRECONDITION_FAILED: 'Кто-то вас опередил',
  BODY_TOO_LARGE: 'Тело запроса слишком велико',
  REQUEST_TIMEOUT: 'Запрос не пришёл вовремя',
  HEADERS_TOO_LARGE: 'Заголовки слишком велики',
  UNSUPPORTED_MEDIA_TYPE: 'Такой тип данных не поддерживается',
  QUOTA_EXCEEDED: 'Квота исчерпана',
  RATE_LIMITED: 'Слишком много запросов',
  INTERNAL: 'На нашей стороне что-то сломалось',
  NOT_READY: 'Ещё не готово',
}

/** Where the API's own text says no more than the code. The others name fields and values, and stay as they came. */
const RUSSIAN_TEXTS: Partial<Record<ProblemCode, string>> = {
  NOT_FOUND: 'Того, о чём запрос, нет.',
  METHOD_NOT_ALLOWED: 'Метод здесь не поддерживается',
  PRECONDITION_FAILED: 'Запись изменилась с тех пор, как её прочли. Ничего не сделано.',
  EXTENSIONS_EXHAUSTED: 'У этой песочницы больше нет продлений.',
  UNAUTHENTICATED: 'Запрос пришёл без действующего входа.',
  KEY_EXPIRED: 'Выпустите другой ключ.',
  KEY_REVOKED: 'Выпустите другой ключ.',
  PERMISSION_DENIED: 'Ваши роли этого не позволяют.',
  QUOTA_EXCEEDED: 'Больше создать нельзя.',
  RATE_LIMITED: 'За минуту их пришло больше, чем можно.',
  INTERNAL: 'Запрос не выполнен.',
}

/** What a problem is called: in our own words where the code is known, else as it came. */
export function problemTitle({ code, title }: { code: string; title: string }, locale: Locale): string {
  return locale === 'ru' && Object.hasOwn(RUSSIAN, code) ? RUSSIAN[code as ProblemCode] : title
}

/** What a problem says of itself. */
export function problemText({ code, detail }: { code: string; detail: string }, locale: Locale): string {
  return (locale === 'ru' && Object.hasOwn(RUSSIAN_TEXTS, code) && RUSSIAN_TEXTS[code as ProblemCode]) || detail
}
