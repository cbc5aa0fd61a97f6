import { defineWords } from '@storey/web'

export const overviewWords = defineWords(
  {
    storey: 'There is no storey “{name}”. This is where one enters the building.',
    room: 'There is no room “{name}”.',
    colour: 'There is no layer or quantity “{name}”. The plan shows what the legend says.',
    understood: 'Understood',
  },
  {
    storey: 'Этажа «{name}» нет. Показан вход в здание.',
    room: 'Помещения «{name}» нет.',
    colour: 'Слоя или величины «{name}» нет. План показывает то, что названо в легенде.',
    understood: 'Понятно',
  },
)
