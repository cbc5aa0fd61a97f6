import type { ProblemCode } from '@storey/contract'
import type { Locale } from './locale.ts'

/** The titles of the API are in English only. */
const RUSSIAN: Record<ProblemCode, string> = {
  VALIDATION_FAILED: 'Недопустимый запрос',
  VALUE_SCHEMA_INVALID: 'Схема значений неверна',
  VALUE_TYPE_MISMATCH: 'Тип значения не совпадает с типом слоя',
  VALUE_SCHEMA_MISMATCH: 'Значение не соответствует схеме слоя',
  VALUE_TYPE_IMMUTABLE: 'Тип значений слоя изменить нельзя',
  TOO_MANY_IDENTIFIERS: 'Слишком много идентификаторов в одной загрузке',
  FILTER_NOT_ALLOWED: 'Этот фильтр здесь недоступен',
  LIMIT_TOO_LARGE: 'Значение limit больше максимального размера страницы',
  UNKNOWN_POINTS: 'В этом здании нет некоторых точек',
  UNKNOWN_BUILDING_TYPE: 'Неизвестный тип здания',
  UNKNOWN_EVENT: 'Неизвестное событие',
  WEBHOOK_URL_REJECTED: 'Недопустимый адрес вебхука',
  EXTENSIONS_EXHAUSTED: 'Продлений не осталось',
  TTL_TOO_LONG: 'Срок жизни песочницы слишком велик',
  UNAUTHENTICATED: 'Требуется вход',
  KEY_EXPIRED: 'Срок действия ключа API истёк',
  KEY_REVOKED: 'Ключ API отозван',
  SCOPE_DENIED: 'Область действия ключа или токена не разрешает этот запрос',
  PERMISSION_DENIED: 'Это действие не разрешено',
  SANDBOX_SUSPENDED: 'Работа песочницы приостановлена',
  NOT_FOUND: 'Не найдено',
  METHOD_NOT_ALLOWED: 'Метод здесь не поддерживается',
  CONFLICT: 'Запрос противоречит текущему состоянию',
  PRECONDITION_FAILED: 'Запись не соответствует условию запроса',
  BODY_TOO_LARGE: 'Тело запроса слишком велико',
  REQUEST_TIMEOUT: 'Запрос не пришёл вовремя',
  HEADERS_TOO_LARGE: 'Заголовки слишком велики',
  UNSUPPORTED_MEDIA_TYPE: 'Такой тип данных не поддерживается',
  QUOTA_EXCEEDED: 'Квота исчерпана',
  RATE_LIMITED: 'Слишком много запросов',
  INTERNAL: 'Внутренняя ошибка',
  NOT_READY: 'Временно недоступно',
}

/**
 * Russian texts for codes that are clear without their detail; they replace the English detail. The details of other
 * codes name the fields and values that the user needs, so they are shown in English.
 */
const RUSSIAN_TEXTS: Partial<Record<ProblemCode, string>> = {
  NOT_FOUND: 'Запрошенный объект не существует.',
  METHOD_NOT_ALLOWED: 'Этот адрес поддерживает другие методы.',
  PRECONDITION_FAILED: 'Запись изменена или удалена после загрузки страницы. Ваше изменение не применено.',
  EXTENSIONS_EXHAUSTED: 'Песочницу больше нельзя продлить.',
  UNAUTHENTICATED: 'Вход не выполнен, или сеанс закончился.',
  KEY_EXPIRED: 'Создайте новый ключ.',
  KEY_REVOKED: 'Создайте новый ключ.',
  RATE_LIMITED: 'Превышено допустимое число запросов.',
  INTERNAL: 'Запрос не выполнен.',
}

/** The detail of UNAUTHENTICATED if the account is disabled. The Russian text of the code does not fit this cause. */
const DISABLED = /account.* is disabled: ask the operator/

/** The title of a problem, translated if the code is known. */
export function problemTitle({ code, title }: { code: string; title: string }, locale: Locale): string {
  return locale === 'ru' && Object.hasOwn(RUSSIAN, code) ? RUSSIAN[code as ProblemCode] : title
}

/** The detail of a problem; in Russian the text of the code, if it has one. */
export function problemText({ code, detail }: { code: string; detail: string }, locale: Locale): string {
  if (locale === 'ru' && DISABLED.test(detail)) return 'Эта учётная запись отключена. Обратитесь к оператору сервиса.'
  return (locale === 'ru' && Object.hasOwn(RUSSIAN_TEXTS, code) && RUSSIAN_TEXTS[code as ProblemCode]) || detail
}
