import type { Locale } from '@storey/web'

/** The API's reasons for refusing a row, as patterns, and their Russian texts. `$1` is what the first group matched. */
const RUSSIAN: readonly (readonly [RegExp, string])[] = [
  [/^\w+ (.*) is not in the catalog of .*$/, 'Нет в каталоге: $1'],
  [/^unit (.*) does not fit (.*): use (.*)$/, 'Единица $1 не подходит к величине $2. Подходят: $3'],
  [/^code (.*) is already used in this building$/, 'Код $1 в этом здании уже есть'],
  [/^externalId (.*) of (.*) is already used in this building$/, 'Внешний ID $1 системы $2 в этом здании уже есть'],
  [/^\w+ (.*) is already used in (row \d+)$/, '$1 уже есть: $2'],
  [/^\w+ (.*) belongs to the same \w+ as (row \d+)$/, '$1: та же запись, что $2'],
  [/^(?:code|externalId) (.*) belongs to a node of another kind: .*$/, '$1 относится к записи другого вида'],
  [/^\w+ (.*) matches no storey of this building$/, 'В здании нет этажа $1'],
  [/^\w+ (.*) matches no space of this building$/, 'В здании нет помещения $1'],
  [/^\w+ (.*) matches no element of this building$/, 'В здании нет оборудования $1'],
  [/^\w+ matches no \w+ of this building$/, 'Такой записи в здании нет'],
  [/^storeyId is not the storey of the space: .*$/, 'Помещение находится на другом этаже'],
  [/^\w+ (?:or \w+ )?is required(?::.*)?$/, 'Обязательное поле'],
  [/^\w+ is not a known field$/, 'Неизвестное поле'],
  [/^\w+ must NOT have more than (\d+) characters$/, 'Не больше $1 символов'],
  [/^\w+ must NOT have fewer than (\d+) characters$/, 'Не меньше $1 символов'],
  [/^\w+ must be one of (.*)$/, 'Допустимые значения: $1'],
  [/^\w+ must be (?:at most|<=) (\S+)$/, 'Не больше $1'],
  [/^\w+ must be (?:at least|>=) (\S+)$/, 'Не меньше $1'],
  [/^\w+ must be (?:greater than|>) (\S+)$/, 'Больше $1'],
  [/^\w+ must be integer$/, 'Должно быть целым числом'],
  [/^\w+ must be number$/, 'Должно быть числом'],
]

/**
 * A reason in the language of the page. The API numbers the rows of a request from 0; `numberOf` returns their numbers
 * in the spreadsheet. In Russian, a reason that matches no pattern stays in English.
 */
export function refusalReason(detail: string, locale: Locale, numberOf: (index: number) => number | undefined): string {
  const reason = detail.replace(/the row with index (\d+)/, (text, index) => {
    const number = numberOf(Number(index))
    return number === undefined ? text : `row ${number}`
  })
  const found = locale === 'ru' ? RUSSIAN.find(([pattern]) => pattern.test(reason)) : undefined
  return found ? reason.replace(found[0], found[1]).replace(/\brow (\d+)/, 'строка $1') : reason
}
