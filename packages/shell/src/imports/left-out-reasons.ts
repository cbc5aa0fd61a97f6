import type { Locale } from '@storey/web'

/**
 * The reasons for which an import leaves out entities of a model or removes nodes: the Russian texts, by the texts of
 * the API.
 */
const RUSSIAN: Record<string, string> = {
  'a group, not a physical object': 'группа, а не физический объект',
  'a port is a connection of equipment, not equipment': 'порт — соединение оборудования, а не оборудование',
  'a chamber is not imported': 'камеры не импортируются',
  'furniture is not imported': 'мебель не импортируется',
  'a proxy has no specific class': 'у прокси-элемента нет определённого класса',
  'an opening or another feature of the fabric, not equipment': 'проём или другая часть конструкции, а не оборудование',
  'a virtual boundary, not a physical object': 'виртуальная граница, а не физический объект',
  'an assembly is not imported, only the equipment in it': 'сборка не импортируется, только оборудование в ней',
  'part of the fabric, not equipment': 'часть конструкции, а не оборудование',
  'its class does not specify the kind of equipment': 'по классу не определить вид оборудования',
  'part of the surroundings, not equipment': 'часть окружения, а не оборудование',
  'a vehicle is not imported': 'транспортные средства не импортируются',
  'a note on a drawing': 'примечание на чертеже',
  'a grid, a drawing aid': 'сетка осей, вспомогательный элемент чертежа',
  'a drawing aid': 'вспомогательный элемент чертежа',
  'part of the structural analysis': 'часть расчёта конструкций',
  'only one site is imported': 'импортируется только один участок',
  'only one building is imported, with the storeys of all buildings':
    'импортируется только одно здание, с этажами всех зданий',
  'a zone, not a room': 'зона, а не помещение',
  'outside of the building': 'вне здания',
  'neither a storey nor a room': 'ни этаж, ни помещение',
  'neither a storey, a room nor equipment': 'ни этаж, ни помещение, ни оборудование',
  'its storey is left out': 'этаж не импортирован',
  'it is on no imported storey': 'не относится ни к одному импортированному этажу',
  'its GlobalId is missing or malformed': 'GlobalId отсутствует или неверен',
  'its GlobalId is already used in the file': 'такой GlobalId в файле уже есть',
  'the model has no storey with the GlobalId of its previous storey': 'в модели нет этажа с прежним GlobalId',
  'the model has no space with the GlobalId of its previous space': 'в модели нет помещения с прежним GlobalId',
  'the model has no element with the GlobalId of its previous element': 'в модели нет оборудования с прежним GlobalId',
  'its space was removed': 'помещение удалено',
  'its element was removed': 'оборудование удалено',
  // Imports of earlier versions have these texts.
  'the model has no storey with the GlobalId of the one it was in': 'в модели нет этажа с прежним GlobalId',
  'the model has no space with the GlobalId of the one it was in': 'в модели нет помещения с прежним GlobalId',
  'the model has no element with the GlobalId of the one it was in': 'в модели нет оборудования с прежним GlobalId',
}

/** Reasons with a part that varies. `$1` is what the group matched. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/^its GlobalId belongs to a node of another kind: \w+$/, 'GlobalId относится к записи другого вида'],
  [/^the class is not part of (\w+)$/, 'в схеме $1 нет такого класса'],
]

/** A reason in the language of the page. Unknown reasons stay as the API gave them. */
export function leftOutReason(reason: string, locale: Locale): string {
  if (locale !== 'ru') return reason
  const found = PATTERNS.find(([pattern]) => pattern.test(reason))
  return found ? reason.replace(found[0], found[1]) : (RUSSIAN[reason] ?? reason)
}
