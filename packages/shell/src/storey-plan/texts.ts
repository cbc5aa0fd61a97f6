import { defineTexts } from '@storey/web'

export const storeyPlanTexts = defineTexts(
  {
    storey: 'Storey “{name}” not found. Another storey is shown.',
    room: 'Room “{name}” not found.',
    colour: 'Layer or value “{name}” not found. The default colouring is shown.',
    dismiss: 'OK',
    allStoreys: 'All storeys',
    allRooms: 'Rooms of all storeys',
    roomsOf: 'Rooms of {storey}',
  },
  {
    storey: 'Этаж «{name}» не найден. Показан другой этаж.',
    room: 'Помещение «{name}» не найдено.',
    colour: 'Слой или величина «{name}» не найдены. Показана раскраска по умолчанию.',
    dismiss: 'ОК',
    allStoreys: 'Все этажи',
    allRooms: 'Помещения всех этажей',
    roomsOf: 'Помещения: {storey}',
  },
)
