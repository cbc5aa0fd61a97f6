import { defineTexts } from '@storey/web'

export const tableInputTexts = defineTexts(
  {
    chooseFile: 'Choose CSV file',
    otherFile: 'Choose another file',
    orDrop: 'or drop it here',
    paste: 'Or paste cells from a spreadsheet',
    pasteHint: 'Copy the cells with their header in Excel, Numbers or Google Sheets, and paste them here.',
    clear: 'Remove',
    rows: { one: '{n} row', other: '{n} rows' },
    pasted: 'Pasted table',
    workbook: 'This file is a workbook. Save it as CSV, or copy its cells and paste them here.',
    tooLarge: 'This file is larger than 20 MB.',
    unreadable: 'The file could not be read.',
    empty: 'The file has no rows.',
    column: 'Column {n}',
  },
  {
    chooseFile: 'Выбрать файл CSV',
    otherFile: 'Выбрать другой файл',
    orDrop: 'или перетащите его сюда',
    paste: 'Или вставьте ячейки из таблицы',
    pasteHint: 'Скопируйте ячейки с заголовком в Excel, Numbers или Google Таблицах и вставьте сюда.',
    clear: 'Убрать',
    rows: { one: '{n} строка', few: '{n} строки', many: '{n} строк', other: '{n} строки' },
    pasted: 'Вставленная таблица',
    workbook: 'Это файл электронной таблицы. Сохраните его как CSV или скопируйте ячейки и вставьте сюда.',
    tooLarge: 'Файл больше 20 МБ.',
    unreadable: 'Не удалось прочитать файл.',
    empty: 'В файле нет строк.',
    column: 'Столбец {n}',
  },
)
