import type { Locale } from '@storey/web'

/**
 * The reasons why reading a model fails. Each has a pattern for the text of the API, and the Russian text. In the
 * Russian text, `$1` is what the group of the pattern matched.
 */
const RUSSIAN: readonly (readonly [RegExp, string])[] = [
  [/^The file is not an IFC file: .*$/, 'Это не файл IFC: он не начинается с ISO-10303-21'],
  [/^The file is a ZIP archive.*$/, 'Это архив ZIP (ifcZIP): импортируйте файл .ifc из него'],
  [/^The file is XML.*$/, 'Это XML (ifcXML): экспортируйте модель как файл .ifc в формате STEP'],
  [/^The file is JSON.*$/, 'Это JSON: экспортируйте модель как файл .ifc в формате STEP'],
  [/^The file is empty$/, 'Файл пуст'],
  [/^The file is incomplete: .*$/, 'Файл неполон: он обрывается до своего конца'],
  [/^The file has no DATA section$/, 'В файле нет раздела DATA'],
  [/^The header does not name the schema.*$/, 'В заголовке файла не указана схема'],
  [/^The schema (.+) is not supported: .*$/, 'Схема $1 не поддерживается: нужна IFC2X3, IFC4 или IFC4X3'],
  [/^Line (\d+) of the file has an empty argument$/, 'В строке $1 файла пустой аргумент'],
  [/^Line (\d+) of the file .*$/, 'Синтаксическая ошибка в строке $1 файла'],
  [/^The model has no project.*$/, 'В модели нет проекта, поэтому единицы чисел неизвестны'],
  [/^The model has no building storey$/, 'В модели нет этажей'],
  [/^The model has no building storey that can be imported: .*$/, 'В модели нет этажей, которые можно импортировать'],
  [/^The model could not be written into the graph$/, 'Не удалось записать модель в здание'],
  [
    /^The model could not be read because of an internal error$/,
    'Не удалось прочитать модель из-за внутренней ошибки сервиса',
  ],
  [
    /^The process that reads the model crashed (?:twice|\d+ times)$/,
    'Процесс, который читает модель, несколько раз аварийно завершился',
  ],
  [/^The file could not be read as an IFC model$/, 'Файл не удалось прочитать как модель IFC'],
  [/^The model needs more than (\d+) MB of memory$/, 'Для чтения модели нужно больше $1 МБ памяти'],
  [/^Reading the model took longer than .*$/, 'Чтение модели заняло слишком много времени'],
  [
    /^The process that reads the model was ended.*$/,
    'Процесс, который читает модель, был завершён, возможно из-за нехватки памяти: повторите позже',
  ],
]

/** A reason in the language of the page. Unknown reasons stay as the API gave them. */
export function failureReason(reason: string, locale: Locale): string {
  const found = locale === 'ru' ? RUSSIAN.find(([pattern]) => pattern.test(reason)) : undefined
  return found ? reason.replace(found[0], found[1]) : reason
}
